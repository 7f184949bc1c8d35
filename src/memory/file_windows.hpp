// Maps the files that ranks of the node have put in their arenas (memory/arena_file.hpp) over the
// windows of this process.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <vector>

#include "core/result.hpp"
#include "core/types.hpp"
#include "memory/arena_file.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

// For any thread.
class FileWindows {
 public:
  // The memory must outlive this object.
  explicit FileWindows(const NodeMemory& memory);

  // Updates the window onto a rank of the node to the files that the rank shows. Costs one load if
  // nothing changed.
  Result<void> follow(Rank rank);
  // Updates the window for one file.
  Result<void> follow(Rank rank, std::size_t number);
  // Returns a rank of the node with a file that is now shorter than the part that the rank shows.
  std::optional<Rank> find_shortened() const;

 private:
  struct Seen {
    std::uint32_t changes = 0;
    std::array<std::uint32_t, ArenaFiles::most> versions{};
  };

  Result<void> follow(Rank rank, std::size_t number, std::uint32_t& seen) const;

  const NodeMemory& memory_;
  std::mutex mutex_;  // guards the members below
  std::vector<Seen> seen_;
};

}  // namespace gondwana
