// The segments that the GASNet door of a process offers its peers. The directory is in the system
// area of its arena.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/structure_list.hpp"
#include "memory/layout.hpp"

namespace gondwana {

struct SharedSegment {
  std::atomic<std::uint64_t> owner;   // address in the owning process
  std::atomic<std::uint64_t> offset;  // offset in the space
  std::atomic<std::uint64_t> space;   // a SpaceId
  std::atomic<std::uint64_t> size;    // bytes; written last; 0: none
};

// All zero: nothing is published yet.
struct SegmentDirectory {
  static constexpr std::uint32_t max_endpoints = 33;      // GASNET_MAXEPS
  static constexpr std::uint32_t blocks = max_endpoints;  // GONDWANA_GASNET_BLOCKS_EP

  std::array<SharedSegment, max_endpoints + 1> segments;  // bound segments, by endpoint index
  std::atomic<std::uint64_t> scratch;                     // offset of the first team's scratch
  std::atomic<std::uint64_t> replicas;                    // offset of the scratch's replicas
  std::atomic<std::uint64_t> room;                        // bytes of the largest segment, initially
};

namespace system_area {

inline constexpr Area segment_directory{48 * 1024, sizeof(SegmentDirectory)};
// Counters at rank 0. They record how many ranks of all nodes have reached each step of leaving.
inline constexpr Area exit_tallies{52 * 1024 - 16, 8, 2};

}  // namespace system_area

using GasnetStructures = StructureList<SegmentDirectory>;
template <ListedIn<GasnetStructures> T>
inline constexpr bool is_shared<T> = true;

}  // namespace gondwana
