// The files that clients have laid over arenas (memory/arena_file.hpp), as this agent maps them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "memory/file_windows.hpp"

namespace gondwana::remote {

class ServedFiles {
 public:
  // The memory must outlive it. `on_shortened`: a file has been too short for a second; empty: no
  // checks.
  ServedFiles(const NodeMemory& memory, std::function<void(Rank)> on_shortened)
      : memory_(memory), files_(memory), on_shortened_(std::move(on_shortened)) {}

  // Ranks ask for this before they tell other ranks where the files lie. The registration covers
  // the range, whatever is mapped there: correct for all providers that do not pin.
  void follow();
  void look(std::uint64_t now_ns);

 private:
  void follow(Rank rank, std::size_t number);

  const NodeMemory& memory_;
  FileWindows files_;
  std::function<void(Rank)> on_shortened_;
  std::uint32_t asked_ = 0;
  std::uint64_t next_look_ns_ = 0;
  std::optional<Rank> shortened_;  // at the last look
};

}  // namespace gondwana::remote
