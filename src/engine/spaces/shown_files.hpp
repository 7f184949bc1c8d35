// Shared mappings of the program that peers reach. The program keeps the file. Every process with a
// window onto the arena of this rank maps the file there too (memory/arena_file.hpp).
#pragma once

#include <array>

#include "core/unique_fd.hpp"
#include "engine/symmetric/segment_space.hpp"
#include "memory/file_windows.hpp"

namespace gondwana {

// One thread at a time calls show() and withdraw(). Any thread may call the other functions.
class ShownFiles {
 public:
  ShownFiles(const NodeMemory& memory, SegmentSpace& space, Rank me);

  // The place at which show() maps a part of the file, in the arena and in the window onto it.
  struct Placement {
    std::size_t number;
    std::size_t offset;  // in the arena
  };
  Result<Placement> show(UniqueFd file, std::size_t from, std::size_t size);
  void withdraw(std::size_t number);

  // Whether the agent of this node, if any, has handled the file, and whether it failed to map it.
  bool has_reached_agent(std::size_t number) const;
  bool is_refused_by_agent(std::size_t number) const;

  // Maps the files of a rank of this node into the window onto its arena.
  Result<void> follow(Rank rank) { return windows_.follow(rank); }

 private:
  ArenaFile* find_place(std::size_t size);
  Result<void> write(ArenaFile& place, std::size_t number, std::size_t from, std::size_t size);
  ArenaFiles& mine() const { return memory_.files(me_); }
  void tell(ArenaFile& place) const;

  const NodeMemory& memory_;
  SegmentSpace& space_;
  Rank me_;
  FileWindows windows_;
  std::array<UniqueFd, ArenaFiles::most> files_;  // open as long as peers may request them
};

}  // namespace gondwana
