// Parts of an arena that map files of the program: the program had mapped a file and made it a
// segment. The program keeps the file. Every process with a window onto the arena maps the file
// there too. The list lies in the arena, at system_area::files.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gondwana {

// One part. Only the rank writes it. All zero: never used. After the first use its range of the
// arena contains only files, because peers may still map the former file there.
struct ArenaFile {
  std::atomic<std::uint32_t> version;  // odd while the rest is being written
  std::atomic<std::uint32_t> laid;     // from the node agent: the version that it has processed
  std::atomic<std::int32_t> trouble;   // from the agent, before `laid`: 1: mapping failed
  std::atomic<std::int32_t> process;   // of the process that has the file open
  std::atomic<std::int32_t> descriptor;
  std::atomic<std::uint64_t> device;
  std::atomic<std::uint64_t> inode;
  std::atomic<std::uint64_t> from;    // offset in the file
  std::atomic<std::uint64_t> offset;  // offset in the arena
  std::atomic<std::uint64_t> room;    // bytes of the arena
  std::atomic<std::uint64_t> size;    // bytes of the file; 0: removed
};

struct ArenaFiles {
  static constexpr std::size_t most = 48;

  std::atomic<std::uint32_t> changes;  // released after each change
  std::array<ArenaFile, most> list;
};

}  // namespace gondwana
