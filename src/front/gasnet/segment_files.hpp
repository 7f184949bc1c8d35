// Shared mappings of the client that became segments: the file behind each stays the client's, and
// whoever has a window onto the arena of this rank maps it there too (memory/arena_file.hpp).
#pragma once

#include <array>

#include "core/unique_fd.hpp"
#include "engine/engine.hpp"
#include "memory/file_windows.hpp"

namespace gondwana::gasnet {

// Guarded by its door, but for follow() and what asks the agent.
class SegmentFiles {
 public:
  explicit SegmentFiles(Engine& engine);

  // A part of the file at some place in the arena of this rank, and in this process's window there.
  struct Shown {
    std::size_t number;
    std::size_t offset;  // in the arena
  };
  Result<Shown> show(UniqueFd file, std::size_t from, std::size_t size);
  void withdraw(std::size_t number);

  // Whether the agent of this node has dealt with it, where there is one; then, whether it could.
  bool has_reached_agent(std::size_t number) const;
  bool is_refused_by_agent(std::size_t number) const;

  // What a rank of this node shows, in this process's window onto it. Any thread.
  Result<void> follow(Rank rank) { return windows_.follow(rank); }

 private:
  ArenaFile* find_place(std::size_t size);
  Result<void> write(ArenaFile& place, std::size_t number, std::size_t from, std::size_t size);
  ArenaFiles& mine() const { return engine_.memory().files(engine_.rank()); }
  void tell(ArenaFile& place) const;

  Engine& engine_;
  FileWindows windows_;
  std::array<UniqueFd, ArenaFiles::most> files_;  // open as long as peers may ask for them
};

}  // namespace gondwana::gasnet
