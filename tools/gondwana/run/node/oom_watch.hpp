// Detects whether the kernel has killed a process for lack of memory since the job began.
#pragma once

#include <cstdint>
#include <optional>

namespace gondwana::launch {

class OomWatch {
 public:
  OomWatch() : in_our_group_(group_kills()), on_machine_(machine_kills()) {}

  enum class Finding { nothing, on_this_machine, in_our_group };
  Finding check() const;

 private:
  static std::optional<std::uint64_t> group_kills();
  static std::optional<std::uint64_t> machine_kills();

  std::optional<std::uint64_t> in_our_group_;
  std::optional<std::uint64_t> on_machine_;
};

}  // namespace gondwana::launch
