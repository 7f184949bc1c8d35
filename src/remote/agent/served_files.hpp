// The files that clients have mapped over arenas (memory/arena_file.hpp), as this agent maps them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "memory/file_windows.hpp"

namespace gondwana::remote {

class ServedFiles {
 public:
  // `memory` must outlive the object. `on_shortened`: called when a file has been too short for a
  // second. Empty: no checks.
  ServedFiles(const NodeMemory& memory, std::function<void(Rank)> on_shortened)
      : memory_(memory), files_(memory), on_shortened_(std::move(on_shortened)) {}

  // Ranks wait for this before they publish their files. The registration covers the range,
  // whatever is mapped there. This is correct for all providers that do not pin memory.
  void follow();
  void check(std::uint64_t now_ns);

 private:
  void follow(Rank rank, std::size_t number);

  const NodeMemory& memory_;
  FileWindows files_;
  std::function<void(Rank)> on_shortened_;
  std::uint32_t asked_ = 0;
  std::uint64_t next_check_ns_ = 0;
  std::optional<Rank> shortened_;  // too short at the last check
};

}  // namespace gondwana::remote
