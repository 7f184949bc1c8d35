// The files that ranks of the node have put in their arenas (memory/arena_file.hpp), laid over the
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

// Any thread.
class FileWindows {
 public:
  // The memory must outlive it.
  explicit FileWindows(const NodeMemory& memory);

  // Makes the window onto a rank of the node what that rank has shown. Costs one load where nothing
  // has changed.
  Result<void> follow(Rank rank);
  // The same of one file.
  Result<void> follow(Rank rank, std::size_t number);
  // A rank of the node one of whose files is now shorter than what it shows of it.
  std::optional<Rank> find_shortened() const;

 private:
  struct Seen {
    std::uint32_t changes = 0;
    std::array<std::uint32_t, ArenaFiles::most> versions{};
  };

  Result<void> follow(Rank rank, std::size_t number, std::uint32_t& seen) const;

  const NodeMemory& memory_;
  std::mutex mutex_;  // guards what follows
  std::vector<Seen> seen_;
};

}  // namespace gondwana
