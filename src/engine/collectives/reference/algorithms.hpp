// Collectives built from gets and flags, over any group. Teams use them if members share no memory
// or the user names an algorithm. Active sets without a team also use them.
//
// All members call them with the same arguments except the addresses of `dest`. `source` is
// symmetric. `dest` is symmetric if another member reads it there. A call returns false if it
// failed; the default lane then holds the error.
#pragma once

#include <vector>

#include "engine/collectives/reference/group.hpp"

namespace gondwana::reference {

void sync(Group& group, Algorithm algorithm);

// Does not write the root's `dest`.
bool broadcast(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t size,
               std::uint32_t root);

// `dest` may be `source`. All members get the same bits.
bool reduce(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t count,
            ElementType type);

// Combines the members up to this one in their order. `dest` may be `source`. The sum of no members
// is zero bytes.
bool scan(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t count,
          ElementType type, Scan kind);

// Concatenate the blocks of all members. In collect(), `size` may differ between members.
bool fcollect(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t size);
bool collect(Group& group, Algorithm algorithm, void* dest, const void* source, std::size_t size);

bool alltoall(Group& group, void* dest, const void* source, const Exchange& shape);

}  // namespace gondwana::reference
