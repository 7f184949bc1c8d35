// Puts and gets that the inline code of gasnet/rma.h passes to the library: large, by offset, with
// checks, or with errors. GASNet-EX 0.19, Extended API.
#include "front/gasnet/rma.hpp"

#include <atomic>

#include "core/address_kind.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/implicit.hpp"
#include "gasnet/rma.h"

namespace gondwana::gasnet {
namespace {

PeerSegment of_member(const gondwana_gex_member& member) {
  return {
      member.owner,
      member.size,
      {reinterpret_cast<std::byte*>(member.owner + static_cast<std::uintptr_t>(member.delta)), {}}};
}

PeerSegment remote_segment(std::uint32_t process, const RemoteSegment& segment) {
  return {segment.owner, segment.size, {nullptr, {{Rank(process), segment.id()}, segment.offset}}};
}

PeerSegment far_segment(Door& door, std::uint32_t process, gex_EP_Index_t endpoint) {
  return remote_segment(process, door.directories().far_segment(process, endpoint));
}

// A segment that loads and stores do not reach: on a device, or none.
[[gnu::noinline]] PeerSegment hidden_segment(Door& door, std::uint32_t process,
                                             gex_EP_Index_t endpoint,
                                             const gondwana_gex_member& member) {
  const RemoteSegment shown = segment_in(door.directories().near(process), endpoint);
  return shown.id() != SpaceId::arena ? remote_segment(process, shown) : of_member(member);
}

// The segment of a process within reach. Inline code does not know segments on devices.
PeerSegment near_segment(Door& door, std::uint32_t process, gex_EP_Index_t endpoint,
                         const gondwana_gex_member& member) {
  if (member.size == 0 && door.devices().exists()) [[unlikely]]
    return hidden_segment(door, process, endpoint, member);
  return of_member(member);
}

// The whole address space of the process.
PeerSegment everything_of(const Door& door, std::uint32_t process) {
  if (process != door.rank())
    return {first_address, size_of_everything, {nullptr, {Rank(process), first_address}}};
  return {first_address,
          size_of_everything,
          {reinterpret_cast<std::byte*>(first_address), {}}};  // NOLINT: of the whole process
}

// "; it is on the stack of main", or an empty string. `named`: the process that the call names.
std::string describe_owner(Door& door, std::uint32_t named, const void* address) {
  if (const auto rank = door.engine().symmetric().rank_at(address))
    return index(*rank) == named ? "" : fmt::format("; it is memory of rank {}", index(*rank));
  const std::string what = find_address_facts(address).what;
  return what.empty() ? what : "; it is " + what;
}

[[noreturn, gnu::cold]] void refuse_place(const Team& team, gex_Rank_t rank,
                                          const PeerSegment& segment, const Place& place,
                                          CallName call) {
  if (segment.size == 0 && team.indices[rank] == SegmentDirectory::blocks)
    give_up(call,
            fmt::format("rank {} has no memory for blocks; raise GONDWANA_REMOTE_HEAP", rank));
  if (segment.size == 0)
    give_up(call, fmt::format("this process knows no segment of endpoint {} of rank {}; attach "
                              "one, or bind and publish it, before use",
                              team.indices[rank], rank));
  if (const auto size = static_cast<std::int64_t>(place.size); size < 0)
    give_up(call, fmt::format("{} bytes: a negative size", size));
  give_up(
      call,
      fmt::format(
          "{} bytes at {}: not in the segment of rank {}, which has {} bytes starting at {:#x}{}",
          place.size, place.address, rank, segment.size, segment.owner,
          describe_owner(*team.door, team.processes[rank], place.address)));
}

}  // namespace

PeerSegment segment_of(Door& door, std::uint32_t process, gex_EP_Index_t endpoint) {
  if (door.has_everything()) return everything_of(door, process);
  return door.reaches(process)
             ? near_segment(door, process, endpoint, door.directories().member(process, endpoint))
             : far_segment(door, process, endpoint);
}

PeerSegment segment_of(const Team& team, gex_Rank_t rank, CallName call) {
  check_member(team, rank, call);
  const std::uint32_t process = team.processes[rank];
  const gex_EP_Index_t endpoint = team.indices[rank];
  if (team.door->has_everything()) return everything_of(*team.door, process);
  return team.door->reaches(process) ? near_segment(*team.door, process, endpoint, team.reach[rank])
                                     : far_segment(*team.door, process, endpoint);
}

namespace {

PeerAddress find_in(const PeerSegment& segment, const Team& team, gex_Rank_t rank,
                    const Place& place, gex_Flags_t flags, CallName call) {
  auto address = reinterpret_cast<std::uintptr_t>(place.address);
  if ((flags & GEX_FLAG_PEER_SEG_OFFSET) != 0) address += segment.owner;
  if (place.size == 0) return {};
  if (!segment.holds(address, place.size)) refuse_place(team, rank, segment, place, call);
  return behind(segment.base, static_cast<std::ptrdiff_t>(address - segment.owner));
}

}  // namespace

bool is_by_kind(const Team& team, gex_Rank_t rank, const void* own, CallName call) {
  if (!team.door->devices().exists() || team.door->has_everything()) [[likely]]
    return false;
  return is_on_device(team.endpoint->segment) || team.door->devices().may_hold(own) ||
         !segment_of(team, rank, call).base.elsewhere.owner().is_arena();
}

Remote as_elsewhere(Door& door, std::uint32_t process, const PeerAddress& address) {
  if (address.here == nullptr) return address.elsewhere;
  const std::byte* window = door.engine().memory().window(Rank(process));
  return {Rank(process), static_cast<std::size_t>(address.here - window)};
}

namespace {

Remote place_by_kind(const Team& team, gex_Rank_t rank, const Place& place, gex_Flags_t flags,
                     CallName call) {
  return as_elsewhere(*team.door, team.processes[rank],
                      find_in(segment_of(team, rank, call), team, rank, place, flags, call));
}

}  // namespace

PeerAddress find_peer(gex_TM_t tm, gex_Rank_t rank, const Place& place, gex_Flags_t flags,
                      CallName call) {
  const Team& team = Team::of(tm);
  return find_in(segment_of(team, rank, call), team, rank, place, flags, call);
}

namespace {

// A put or get whose peer loads and stores do not reach.
struct FarTransfer {
  gex_TM_t tm;
  gex_Rank_t rank;
  void* dest;
  const void* src;
  std::size_t bytes;
  gex_Flags_t flags;
};

// Both begin functions return false if the queue is full. begin_put() copies the source unless the
// client leaves it to the batch until completion.
bool begin_put(Batch& batch, const FarTransfer& what, gex_Event_t* lc_opt) {
  constexpr auto call = "gex_RMA_Put";
  RemoteMemory& remote = Team::of(what.tm).door->remote();
  const PeerAddress target =
      find_peer(what.tm, what.rank, {what.dest, what.bytes}, what.flags, call);
  const Bytes source{find_own(what.tm, what.src, what.flags, call), what.bytes};
  const RemoteMemory::NoRoom no_room = without_room(what.flags);
  const bool begun = lc_opt == GEX_EVENT_DEFER || lc_opt == GEX_EVENT_GROUP
                         ? remote.begin_put(batch, target.elsewhere, source, call, no_room)
                         : remote.begin_put_of_copy(batch, target.elsewhere, source, call, no_room);
  if (begun) gondwana_gex_leaf_is_done(lc_opt);
  return begun;
}

// Whether `lc_opt` is an address and not a constant.
bool is_event(const gex_Event_t* lc_opt) {
  return reinterpret_cast<std::uintptr_t>(lc_opt) >
         reinterpret_cast<std::uintptr_t>(GEX_EVENT_GROUP);
}

// Device memory is on at least one side. A wait for this source waits for all sources of the batch.
void begin_put_by_kind(Batch& batch, const FarTransfer& what, const gex_Event_t* lc_opt) {
  constexpr auto call = "gex_RMA_Put";
  const Team& team = Team::of(what.tm);
  const Remote place = place_by_kind(team, what.rank, {what.dest, what.bytes}, what.flags, call);
  RemoteMemory& remote = team.door->remote();
  remote.devices().begin_put(batch, place,
                             {find_own(what.tm, what.src, what.flags, call), what.bytes}, call);
  if (lc_opt == GEX_EVENT_NOW) remote.wait_for_sources(batch, call);
}

void begin_get_by_kind(Batch& batch, const FarTransfer& what) {
  constexpr auto call = "gex_RMA_Get";
  const Team& team = Team::of(what.tm);
  const Remote place = place_by_kind(team, what.rank, {what.src, what.bytes}, what.flags, call);
  team.door->remote().devices().begin_get(
      batch, {find_own(what.tm, what.dest, what.flags, call), what.bytes}, place, call);
}

bool begin_get(Batch& batch, const FarTransfer& what) {
  constexpr auto call = "gex_RMA_Get";
  const PeerAddress source =
      find_peer(what.tm, what.rank, {what.src, what.bytes}, what.flags, call);
  const MutableBytes target{find_own(what.tm, what.dest, what.flags, call), what.bytes};
  return Team::of(what.tm).door->remote().begin_get(batch, target, source.elsewhere, call,
                                                    without_room(what.flags));
}

}  // namespace

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

namespace {

int put_without_devices(const FarTransfer& what) {
  constexpr auto call = "gex_RMA_Put";
  const auto& [tm, rank, dest, src, nbytes, flags] = what;
  const PeerAddress target = find_peer(tm, rank, {dest, nbytes}, flags, call);
  if (nbytes == 0) return 0;
  const std::byte* source = find_own(tm, src, flags, call);
  if (target.here == nullptr) {
    RemoteMemory& remote = Team::of(tm).door->remote();
    return remote.put(target.elsewhere, {source, nbytes}, call, without_room(flags)) ? 0 : 1;
  }
  gondwana::copy_to_peer(target.here, source, nbytes);
  std::atomic_thread_fence(std::memory_order_release);  // as gondwana_gex_after_put
  gondwana_gex_wake(tm, rank);
  return 0;
}

int get_without_devices(const FarTransfer& what) {
  constexpr auto call = "gex_RMA_Get";
  const auto& [tm, rank, dest, src, nbytes, flags] = what;
  const PeerAddress source = find_peer(tm, rank, {src, nbytes}, flags, call);
  if (nbytes == 0) return 0;
  std::byte* target = find_own(tm, dest, flags, call);
  if (source.here == nullptr) {
    RemoteMemory& remote = Team::of(tm).door->remote();
    return remote.get({target, nbytes}, source.elsewhere, call, without_room(flags)) ? 0 : 1;
  }
  gondwana::copy_from_peer(target, source.here, nbytes);
  gondwana_gex_after_get();
  return 0;
}

bool is_put_by_kind(const FarTransfer& put) {
  return put.bytes > 0 && is_by_kind(Team::of(put.tm), put.rank, put.src, "gex_RMA_Put");
}

bool is_get_by_kind(const FarTransfer& get) {
  return get.bytes > 0 && is_by_kind(Team::of(get.tm), get.rank, get.dest, "gex_RMA_Get");
}

}  // namespace

int gondwana_gex_put(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                     gex_Flags_t flags) {
  constexpr auto call = "gex_RMA_Put";
  const FarTransfer put{tm, rank, dest, src, nbytes, flags};
  if (!is_put_by_kind(put)) [[likely]]
    return put_without_devices(put);
  const Team& team = Team::of(tm);
  const gondwana::Remote place = place_by_kind(team, rank, {dest, nbytes}, flags, call);
  team.door->remote().devices().put(place, {find_own(tm, src, flags, call), nbytes}, call);
  return 0;
}

int gondwana_gex_get(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src, size_t nbytes,
                     gex_Flags_t flags) {
  constexpr auto call = "gex_RMA_Get";
  const FarTransfer get{tm, rank, dest, src, nbytes, flags};
  if (!is_get_by_kind(get)) [[likely]]
    return get_without_devices(get);
  const Team& team = Team::of(tm);
  const gondwana::Remote place = place_by_kind(team, rank, {src, nbytes}, flags, call);
  team.door->remote().devices().get({find_own(tm, dest, flags, call), nbytes}, place, call);
  return 0;
}

int gondwana_gex_put_nbi(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                         gex_Event_t* lc_opt, gex_Flags_t flags) {
  const FarTransfer put{tm, rank, dest, src, nbytes, flags};
  if (is_put_by_kind(put)) [[unlikely]] {
    begin_put_by_kind(implicit().for_put(), put, is_event(lc_opt) ? GEX_EVENT_NOW : lc_opt);
    gondwana_gex_leaf_is_done(lc_opt);
    return 0;
  }
  if (nbytes == 0 || Team::of(tm).reaches(rank)) {
    const int refused = put_without_devices(put);
    if (refused == 0) gondwana_gex_leaf_is_done(lc_opt);
    return refused;
  }
  return begin_put(implicit().for_put(), put, lc_opt) ? 0 : 1;
}

gex_Event_t gondwana_gex_put_nb(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                                size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags) {
  const FarTransfer put{tm, rank, dest, src, nbytes, flags};
  const bool by_kind = is_put_by_kind(put);
  if (!by_kind && (nbytes == 0 || Team::of(tm).reaches(rank))) {
    const int refused = put_without_devices(put);
    if (refused == 0) gondwana_gex_leaf_is_done(lc_opt);
    return refused != 0 ? GEX_EVENT_NO_OP : GEX_EVENT_INVALID;
  }
  auto batch = std::make_shared<Batch>();
  if (by_kind) [[unlikely]] {
    begin_put_by_kind(*batch, put, lc_opt);
    gex_Event_t root = event_of(std::move(batch));
    if (is_event(lc_opt)) *lc_opt = local_completion_of(root);
    return root;
  }
  if (!RemoteMemory::is_copied(nbytes) && is_event(lc_opt)) {
    if (!begin_put(*batch, put, GEX_EVENT_DEFER)) return GEX_EVENT_NO_OP;
    gex_Event_t root = event_of(std::move(batch));
    *lc_opt = local_completion_of(root);
    return root;
  }
  if (!begin_put(*batch, put, lc_opt)) return GEX_EVENT_NO_OP;
  return event_of(std::move(batch));
}

int gondwana_gex_get_nbi(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src, size_t nbytes,
                         gex_Flags_t flags) {
  const FarTransfer get{tm, rank, dest, src, nbytes, flags};
  if (is_get_by_kind(get)) [[unlikely]] {
    begin_get_by_kind(implicit().for_get(), get);
    return 0;
  }
  if (nbytes == 0 || Team::of(tm).reaches(rank)) return get_without_devices(get);
  return begin_get(implicit().for_get(), get) ? 0 : 1;
}

gex_Event_t gondwana_gex_get_nb(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src,
                                size_t nbytes, gex_Flags_t flags) {
  const FarTransfer get{tm, rank, dest, src, nbytes, flags};
  const bool by_kind = is_get_by_kind(get);
  if (!by_kind && (nbytes == 0 || Team::of(tm).reaches(rank)))
    return get_without_devices(get) != 0 ? GEX_EVENT_NO_OP : GEX_EVENT_INVALID;
  auto batch = std::make_shared<Batch>();
  if (by_kind) [[unlikely]]
    begin_get_by_kind(*batch, get);
  else if (!begin_get(*batch, get))
    return GEX_EVENT_NO_OP;
  return event_of(std::move(batch));
}

// A rank out of reach polls its memory, so it needs no wake-up.
void gondwana_gex_wake(gex_TM_t tm, gex_Rank_t rank) {
  const Team& team = Team::of(tm);
  if (team.reaches(rank))
    team.door->engine().memory().data_bell(team.process(rank)).ring_if_asleep();
}
