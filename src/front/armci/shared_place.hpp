// The locations in a rank's arena that the ARMCI doors of other ranks use.
#pragma once

#include <cstdint>

#include "core/structure_list.hpp"
#include "engine/collectives/common/team_scratch.hpp"
#include "memory/layout.hpp"

namespace gondwana {

// Offsets in the arena.
struct ArmciPlace {
  StagedPlace collectives;  // scratch of the world group
  std::uint64_t words;      // the rank's ArmciWords
};

// Words that other ranks write. They are followed by a counter of notifications from each rank.
struct ArmciWords {
  std::uint64_t newest_message;  // the top of a stack of message names; 0: empty
};

namespace system_area {

inline constexpr Area armci_place{84 * 1024, sizeof(ArmciPlace)};

}  // namespace system_area

using ArmciStructures = StructureList<ArmciPlace>;
template <ListedIn<ArmciStructures> T>
inline constexpr bool is_shared<T> = true;

}  // namespace gondwana
