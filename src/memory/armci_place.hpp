// Where the ARMCI door of a rank has laid what other ranks use of it.
#pragma once

#include <cstdint>

#include "memory/team_scratch.hpp"

namespace gondwana {

// Offsets in the arena.
struct ArmciPlace {
  StagedPlace collectives;  // of the world group
  std::uint64_t words;      // its ArmciWords
};

// Words that other ranks write. After it comes a counter of notifications from each rank of the
// job.
struct ArmciWords {
  std::uint64_t newest_message;  // the top of a stack: 0 or rank + 1 and an offset, see front/armci
};

}  // namespace gondwana
