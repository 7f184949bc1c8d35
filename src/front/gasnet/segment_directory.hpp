// What the GASNet door of a process tells its peers: which segments they may use.
// In the system area of its arena.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/structure_list.hpp"
#include "memory/layout.hpp"

namespace gondwana {

struct SharedSegment {
  std::atomic<std::uint64_t> owner;   // address in its process
  std::atomic<std::uint64_t> offset;  // in the space
  std::atomic<std::uint64_t> space;   // a SpaceId
  std::atomic<std::uint64_t> size;    // bytes; written last; 0: none
};

// All zero: nothing yet.
struct SegmentDirectory {
  static constexpr std::uint32_t most_endpoints = 33;  // GASNET_MAXEPS

  std::array<SharedSegment, most_endpoints> segments;  // bound ones, by endpoint index
  std::atomic<std::uint64_t> scratch;                  // offset of that for the first team
  std::atomic<std::uint64_t> replicas;                 // and of its replicas
  std::atomic<std::uint64_t> room;                     // bytes of the largest segment, at first
};

namespace system_area {

inline constexpr Area segment_directory{48 * 1024, sizeof(SegmentDirectory)};
// Where the ranks of all nodes count, at rank 0, how far they are with leaving.
inline constexpr Area exit_tallies{52 * 1024 - 16, 8, 2};

}  // namespace system_area

using GasnetStructures = StructureList<SegmentDirectory>;
template <ListedIn<GasnetStructures> T>
inline constexpr bool is_shared<T> = true;

}  // namespace gondwana
