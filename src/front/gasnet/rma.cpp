// Puts and gets that the inline code of gasnet/rma.h leaves to the library: large ones, those by
// offset, checked ones, and wrong ones. GASNet-EX 0.19, Extended API.
#include "front/gasnet/rma.hpp"

#include "front/gasnet/door.hpp"
#include "gasnet/rma.h"

namespace gondwana::gasnet {
namespace {

[[noreturn, gnu::cold]] void refuse_place(const Team& team, gex_Rank_t rank, const Place& place,
                                          CallName call) {
  const gondwana_gex_member& member = team.members[rank];
  if (member.size == 0)
    give_up(call, fmt::format("endpoint {} of rank {} has no segment that this process knows; "
                              "attach one, or bind and publish it, before it is used",
                              team.indices[rank], rank));
  give_up(call,
          fmt::format("{} bytes at {}: not in the segment of rank {}, which has {} bytes from "
                      "{:#x} on",
                      place.size, place.address, rank, member.size, member.owner));
}

}  // namespace

std::byte* find_peer(gex_TM_t tm, gex_Rank_t rank, const Place& place, gex_Flags_t flags,
                     CallName call) {
  const Team& team = Team::of(tm);
  if (rank >= team.size)
    give_up(call, fmt::format("rank {}: the team has {} members", rank, team.size));
  const gondwana_gex_member& member = team.members[rank];
  auto address = reinterpret_cast<std::uintptr_t>(place.address);
  if ((flags & GEX_FLAG_PEER_SEG_OFFSET) != 0) address += member.owner;
  const std::uintptr_t offset = address - member.owner;
  if (place.size == 0) return nullptr;
  if (offset >= member.size || place.size > member.size - offset)
    refuse_place(team, rank, place, call);
  const std::uintptr_t ours = address + static_cast<std::uintptr_t>(member.delta);
  return reinterpret_cast<std::byte*>(ours);
}

std::byte* find_own(gex_TM_t tm, const void* address, gex_Flags_t flags, CallName call) {
  auto* own = static_cast<std::byte*>(const_cast<void*>(address));
  if ((flags & GEX_FLAG_SELF_SEG_OFFSET) == 0) return own;
  const gex_Segment_t segment = Team::of(tm).endpoint->segment;
  if (segment == GEX_SEGMENT_INVALID)
    give_up(call, "GEX_FLAG_SELF_SEG_OFFSET: the endpoint has no segment");
  return segment->address + reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

int gondwana_gex_put(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                     gex_Flags_t flags) {
  constexpr auto call = "gex_RMA_Put";
  std::byte* target = find_peer(tm, rank, {dest, nbytes}, flags, call);
  if (nbytes == 0) return 0;
  gondwana::copy_to_peer(target, find_own(tm, src, flags, call), nbytes);
  gondwana_gex_wake(tm, rank);
  return 0;
}

int gondwana_gex_get(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src, size_t nbytes,
                     gex_Flags_t flags) {
  constexpr auto call = "gex_RMA_Get";
  const std::byte* source = find_peer(tm, rank, {src, nbytes}, flags, call);
  if (nbytes == 0) return 0;
  gondwana::copy_from_peer(find_own(tm, dest, flags, call), source, nbytes);
  return 0;
}

void gondwana_gex_wake(gex_TM_t tm, gex_Rank_t rank) {
  const Team& team = Team::of(tm);
  team.door->engine().memory().data_bell(team.process(rank)).ring_if_asleep();
}
