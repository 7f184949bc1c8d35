// Collectives made of gets and flags, over any group: what teams use where members have no common
// memory or where the user names an algorithm, and what active sets use that have no
// team.
//
// Each is called by all members, with the same arguments but for the addresses of `dest`. `source`
// is the address of symmetric memory, and so is `dest` where a member reads what another has
// collected there. False where something failed; the default lane then has the sentence.
#pragma once

#include <vector>

#include "engine/collectives/reference/group.hpp"

namespace gondwana::reference {

void sync(Group& group, Algorithm algorithm);

// `dest` of the root is not touched.
bool broadcast(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t size,
               std::uint32_t root);

// `dest` may be `source`. All members get the same bits.
bool reduce(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t count,
            ElementType type);

// Sums over the members up to this one, in their order. `dest` may be `source`. Zero bytes are the
// sum of nothing.
bool scan(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t count,
          ElementType type, Scan kind);

// `size` bytes of each member, one behind the other; of each the same, or each its own.
bool fcollect(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t size);
bool collect(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t size);

bool alltoall(Group& group, void* dest, const void* source, const Exchange& shape);

}  // namespace gondwana::reference
