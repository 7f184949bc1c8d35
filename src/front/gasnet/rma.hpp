// Where the memory that a call names lies in this process.
#pragma once

#include <cstddef>

#include "core/types.hpp"
#include "gasnet_fwd.h"

namespace gondwana::gasnet {

// As the client says it: an address in its owner's process, or an offset in the segment there.
struct Place {
  const void* address;
  std::size_t size;
};

// In the bound segment of a member; ends the job with a sentence where it is not. Null for no
// bytes.
std::byte* find_peer(gex_TM_t tm, gex_Rank_t rank, const Place& place, gex_Flags_t flags,
                     CallName call);
// In this process.
std::byte* find_own(gex_TM_t tm, const void* address, gex_Flags_t flags, CallName call);

}  // namespace gondwana::gasnet
