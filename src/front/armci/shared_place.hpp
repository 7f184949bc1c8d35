// Where the ARMCI door of a rank has laid what other ranks use of it.
#pragma once

#include <cstdint>

#include "core/structure_list.hpp"
#include "engine/collectives/common/team_scratch.hpp"
#include "memory/layout.hpp"

namespace gondwana {

// Offsets in the arena.
struct ArmciPlace {
  StagedPlace collectives;  // of the world group
  std::uint64_t words;      // its ArmciWords
};

// Words that other ranks write. After it comes a counter of notifications from each rank of the
// job.
struct ArmciWords {
  std::uint64_t newest_message;  // the top of a stack: 0 or rank + 1 and an offset
};

namespace system_area {

inline constexpr Area armci_place{84 * 1024, sizeof(ArmciPlace)};

}  // namespace system_area

using ArmciStructures = StructureList<ArmciPlace>;
template <ListedIn<ArmciStructures> T>
inline constexpr bool is_shared<T> = true;

}  // namespace gondwana
