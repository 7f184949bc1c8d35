// Parts of an arena that are not its own memory: files of the program, which it had mapped itself
// and made a segment of. They stay the program's. Every process that has a window onto the arena
// maps the file there too; the list lies in the arena, at system_area::files.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gondwana {

// One part, written by the rank alone. All zero: never used. Once used, its range of the arena is
// for files only: peers may still have the former one there.
struct ArenaFile {
  std::atomic<std::uint32_t> version;  // odd while the rest is written
  std::atomic<std::uint32_t> laid;     // by the node agent: the version that it has dealt with
  std::atomic<std::int32_t> trouble;   // by the node agent, before `laid`: 1: it could not map it
  std::atomic<std::int32_t> process;   // that has the file open
  std::atomic<std::int32_t> descriptor;
  std::atomic<std::uint64_t> device;
  std::atomic<std::uint64_t> inode;
  std::atomic<std::uint64_t> from;    // offset in the file
  std::atomic<std::uint64_t> offset;  // in the arena
  std::atomic<std::uint64_t> room;    // bytes of the arena
  std::atomic<std::uint64_t> size;    // bytes of the file; 0: it is gone
};

struct ArenaFiles {
  static constexpr std::size_t most = 48;

  std::atomic<std::uint32_t> changes;  // released after each
  std::array<ArenaFile, most> list;
};

}  // namespace gondwana
