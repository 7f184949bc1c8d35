// Orders the messages of one sender, which numbers them from 1. Providers match messages in order.
// They may report a large one, which arrives in parts, after small ones that were sent later.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace gondwana::remote {

class InOrder {
 public:
  // The number of the last message that was passed on.
  std::uint32_t last() const { return last_; }

  // Numbers wrap around.
  bool is_next(std::uint32_t number) const { return number == last_ + 1; }
  bool is_past(std::uint32_t number) const { return number - last_ - 1 >= std::uint32_t{1} << 31; }
  void pass() { ++last_; }

  // Keeps a copy of an early message. False: a duplicate.
  bool keep(std::uint32_t number, Bytes bytes) {
    return kept_.try_emplace(number, bytes.begin(), bytes.end()).second;
  }
  // The next message if a copy was kept.
  std::optional<std::vector<std::byte>> pass_kept() {
    auto found = kept_.extract(last_ + 1);
    if (!found) return std::nullopt;
    pass();
    return std::move(found.mapped());
  }

 private:
  std::uint32_t last_ = 0;
  std::map<std::uint32_t, std::vector<std::byte>> kept_;
};

}  // namespace gondwana::remote
