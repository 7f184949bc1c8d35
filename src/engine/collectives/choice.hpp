// Which kind of algorithm a collective uses.
#pragma once

#include "engine/collectives/common/resources.hpp"

namespace gondwana {

// Whether both arrays are symmetric, so that the algorithms may use them in place.
inline bool are_symmetric(const CollectiveResources& with, const void* dest, std::size_t dest_size,
                          const void* source, std::size_t source_size) {
  return with.rma.is_symmetric(dest, dest_size) && with.rma.is_symmetric(source, source_size);
}

// Whether a collective uses puts, gets and flags: if members share no memory, if the user names an
// algorithm, or if the set has no team.
inline bool uses_reference(const CollectiveResources& with, Collective collective,
                           const Team& team) {
  return team.own_flags != 0 || !is_within(with.rma.reach(), team) ||
         is_flat(with.algorithms.of(collective));
}

// If uses_reference(): whether the collective runs in two levels.
inline bool goes_in_levels(const CollectiveResources& with, Collective collective,
                           const Team& team) {
  return team.levels != nullptr && !is_flat(with.algorithms.of(collective));
}

}  // namespace gondwana
