// Where the memory that a call names lies.
#pragma once

#include <cstddef>

#include "core/types.hpp"
#include "gasnet_fwd.h"

namespace gondwana::gasnet {

class Door;
struct Team;

// As the client says it: an address in its owner's process, or an offset in the segment there.
struct Place {
  const void* address;
  std::size_t size;
};

// Where that is: in this process, or in the arena of a rank that loads and stores do not reach.
struct Spot {
  std::byte* here;  // null: elsewhere
  Remote elsewhere;
};

// Of its first byte `bytes` further.
inline Spot behind(const Spot& spot, std::ptrdiff_t bytes) {
  if (spot.here != nullptr) return {spot.here + bytes, {}};
  return {nullptr, {spot.elsewhere.rank, spot.elsewhere.offset + static_cast<std::size_t>(bytes)}};
}

// The bound segment of an endpoint.
struct PeerSegment {
  std::uintptr_t owner;  // its address in its own process
  std::size_t size;      // bytes; 0: none that this process knows
  Spot spot;

  // Whether it has all bytes of [address, address + bytes), as its owner names them.
  bool holds(std::uintptr_t address, std::size_t bytes) const {
    return address - owner < size && bytes <= size - (address - owner);
  }
};
PeerSegment segment_of(Door& door, std::uint32_t process, gex_EP_Index_t endpoint);
// The same of a member, as it was when the team last heard of it.
PeerSegment segment_of(const Team& team, gex_Rank_t rank, CallName call);

// In the bound segment of a member; ends the job with a sentence where it is not. Of no use for no
// bytes.
Spot find_peer(gex_TM_t tm, gex_Rank_t rank, const Place& place, gex_Flags_t flags, CallName call);
// In this process.
std::byte* find_own(gex_TM_t tm, const void* address, gex_Flags_t flags, CallName call);

}  // namespace gondwana::gasnet
