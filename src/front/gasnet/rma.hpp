// Translation of the addresses that a call names.
#pragma once

#include <cstddef>

#include "core/types.hpp"
#include "gasnet_fwd.h"

namespace gondwana::gasnet {

class Door;
struct Team;

// The client's form: an address in the owner's process, or an offset in the owner's segment.
struct Place {
  const void* address;
  std::size_t size;
};

// The translated form: in this process, or in a space of a rank out of reach of loads and stores.
struct PeerAddress {
  std::byte* here;  // null: elsewhere
  Remote elsewhere;
};

// The address advanced by `bytes`.
inline PeerAddress behind(const PeerAddress& from, std::ptrdiff_t bytes) {
  if (from.here != nullptr) return {from.here + bytes, {}};
  return {nullptr,
          {from.elsewhere.owner(), from.elsewhere.offset + static_cast<std::size_t>(bytes)}};
}

// The bound segment of an endpoint.
struct PeerSegment {
  std::uintptr_t owner;  // address in the owner's process
  std::size_t size;      // bytes; 0: no segment known
  PeerAddress base;

  // Whether the segment contains [address, address + bytes), an address in the owner's process.
  bool holds(std::uintptr_t address, std::size_t bytes) const {
    return address - owner < size && bytes <= size - (address - owner);
  }
};
PeerSegment segment_of(Door& door, std::uint32_t process, gex_EP_Index_t endpoint);
// The segment of a member at the last update of the team.
PeerSegment segment_of(const Team& team, gex_Rank_t rank, CallName call);
// Whether a transfer has device memory on a side: the member's segment, or memory here. `own`: any
// address of the local side.
bool is_by_kind(const Team& team, gex_Rank_t rank, const void* own, CallName call);
// The same memory, as an offset in a space of the rank even if loads and stores reach it.
Remote as_elsewhere(Door& door, std::uint32_t process, const PeerAddress& address);

// Finds memory in the bound segment of a member, or ends the job. The result is null for 0 bytes.
PeerAddress find_peer(gex_TM_t tm, gex_Rank_t rank, const Place& place, gex_Flags_t flags,
                      CallName call);
// Finds memory of this process.
std::byte* find_own(gex_TM_t tm, const void* address, gex_Flags_t flags, CallName call);

}  // namespace gondwana::gasnet
