// Sending active messages of fixed payload. GASNet-EX 0.19, Fixed-payload AM APIs.
#include <cstring>
#include <vector>

#include "front/gasnet/context.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/outgoing.hpp"
#include "front/gasnet/rma.hpp"
#include "gasnet/messages.h"
#include "gasnet/system.h"

namespace gondwana::gasnet {

constinit thread_local Context own_context;

namespace {

void examine_request(CallName call) {
  const Context& now = context();
  if (now.handler != nullptr) give_up(call, "a handler may not send requests");
  if (now.locks > 0) give_up(call, "called while holding a handler-safe lock");
  if (now.prepared != nullptr) give_up(call, "called between Prepare and Commit");
}

void examine_reply(gex_Token_t token, CallName call) {
  if (!token->is_request) give_up(call, "the handler of a reply may not reply");
  if (token->replied)
    give_up(call, "the handler has already replied; a request has only one reply");
  if (context().locks > 0) give_up(call, "called while holding a handler-safe lock");
}

}  // namespace

Destination request_to(gex_TM_t tm, gex_Rank_t rank, CallName call) {
  const Team& team = Team::of(tm);
  check_member(team, rank, call);
  if (team.door->checks()) examine_request(call);
  if (team.door->checks() && team.indices[rank] == SegmentDirectory::blocks)
    give_up(call, "GONDWANA_GASNET_BLOCKS_EP has no handlers");
  return {*team.door,           team.processes[rank],  team.indices[rank],
          team.endpoint->index, MessageClass::request, call};
}

Destination reply_to(gex_Token_t token, CallName call) {
  if (token->door->checks()) examine_reply(token, call);
  return {*token->door,           token->process,      token->from_endpoint,
          token->endpoint->index, MessageClass::reply, call};
}

namespace {

// Another thread polls, and it may have polled just before the message arrived.
[[gnu::noinline]] void poll_beside_others(Door& door) {
  constexpr int max_polls = 1000;  // longer than a handler of another thread should take
  for (int polls = 1; polls < max_polls; ++polls) {
    relax();
    const bool was_polled = door.engine().messages().is_polled();
    door.progress().poll();
    if (!was_polled) return;
  }
}

}  // namespace

void receive_own(Door& door) {
  if (context().handler != nullptr) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // visible to any thread that polls later
  const bool was_polled = door.engine().messages().is_polled();
  door.progress().poll();
  if (was_polled) [[unlikely]]
    poll_beside_others(door);
}

bool fits_in_message(std::size_t bytes, unsigned arguments) {
  return bytes <= InboxMessage::max_short_payload(arguments);
}

int send_short(const Destination& to, gex_AM_Index_t handler, gex_Flags_t flags,
               const Arguments& arguments) {
  const Turn turn(to, flags);
  if (!turn) return 1;
  const std::optional<Draft> draft = open(to, Payload::none, flags);
  if (!draft) return 1;
  send(to, *draft, {Category::short_message, handler, 0, arguments});
  return 0;
}

namespace {

void local_completion(gex_Event_t* lc_opt) {
  if (reinterpret_cast<std::uintptr_t>(lc_opt) > reinterpret_cast<std::uintptr_t>(GEX_EVENT_GROUP))
    *lc_opt = GEX_EVENT_INVALID;
}

void examine_size(const Destination& to, std::size_t bytes, std::size_t most) {
  if (bytes > most)
    give_up(to.call, fmt::format("a payload of {} bytes; the maximum is {}", bytes, most));
}

}  // namespace

namespace {

[[gnu::always_inline]] inline int send_medium_of_host(const Destination& to, gex_AM_Index_t handler,
                                                      Bytes payload, gex_Event_t* lc_opt,
                                                      gex_Flags_t flags,
                                                      const Arguments& arguments) {
  const bool is_short = fits_in_message(payload.size(), arguments.count);
  const Turn turn(to, flags);
  if (!turn) return 1;
  const std::optional<Draft> draft = open(to, is_short ? Payload::none : Payload::block, flags);
  if (!draft) return 1;
  draft->message->arguments = static_cast<std::uint8_t>(arguments.count);
  std::byte* place = is_short ? draft->message->short_payload().data() : draft->block.data();
  if (!payload.empty()) std::memcpy(place, payload.data(), payload.size());
  send(to, *draft, {Category::medium, handler, payload.size(), arguments});
  local_completion(lc_opt);
  return 0;
}

[[gnu::noinline, gnu::cold]] int send_any_medium(const Destination& to, gex_AM_Index_t handler,
                                                 Bytes payload, gex_Event_t* lc_opt,
                                                 gex_Flags_t flags, const Arguments& arguments) {
  examine_size(to, payload.size(), max_medium);
  std::vector<std::byte> copy;
  if (to.door.devices().may_hold(payload.data())) {
    copy.resize(payload.size());
    to.door.devices().copy(to.call, copy.data(), payload.data(), copy.size());
    payload = copy;
  }
  return send_medium_of_host(to, handler, payload, lc_opt, flags, arguments);
}

}  // namespace

int send_medium(const Destination& to, gex_AM_Index_t handler, Bytes payload, gex_Event_t* lc_opt,
                gex_Flags_t flags, const Arguments& arguments) {
  if (payload.size() > to.door.devices().max_plain_medium()) [[unlikely]]
    return send_any_medium(to, handler, payload, lc_opt, flags, arguments);
  return send_medium_of_host(to, handler, payload, lc_opt, flags, arguments);
}

namespace {

// A Long to another node waits for the put of its payload. With GEX_FLAG_IMMEDIATE the call must
// not wait, so the message itself carries a payload that fits. It always does if a put is a
// message.
bool carries_payload(const Destination& to, std::size_t bytes, gex_Flags_t flags) {
  if (to.door.has_everything()) return is_carried(to) && bytes > 0;
  return (flags & GEX_FLAG_IMMEDIATE) != 0 && bytes > 0 && bytes <= max_medium &&
         !to.door.reaches(to.process);
}

struct Long {
  gex_AM_Index_t handler;
  Bytes payload;
  void* dest;
  gex_Event_t* lc_opt;
  gex_Flags_t flags;
  const Arguments& arguments;
};

PeerAddress find_target(const Destination& to, Bytes payload, const void* dest) {
  const PeerSegment segment = segment_of(to.door, to.process, to.endpoint);
  const auto address = reinterpret_cast<std::uintptr_t>(dest);
  if (!segment.holds(address, payload.size()))
    give_up(to.call, fmt::format("{} bytes to {}: not in the segment of endpoint {} of rank {}, "
                                 "which has {} bytes starting at {:#x}",
                                 payload.size(), dest, to.endpoint, to.process, segment.size,
                                 segment.owner));
  return behind(segment.base, static_cast<std::ptrdiff_t>(address - segment.owner));
}

bool deliver_from_host(const Destination& to, Bytes payload, void* dest, gex_Flags_t flags) {
  if (payload.empty()) return true;
  const PeerAddress target = find_target(to, payload, dest);
  if (target.here == nullptr) {
    if (target.elsewhere.owner().is_arena())
      return to.door.remote().put(target.elsewhere, payload, to.call, without_room(flags));
    to.door.remote().devices().put(target.elsewhere, payload, to.call);
    return true;
  }
  copy_to_peer(target.here, payload.data(), payload.size());
  return true;
}

bool deliver_from_device(const Destination& to, Bytes payload, void* dest, gex_Flags_t /*flags*/) {
  if (payload.empty()) return true;
  const PeerAddress target = find_target(to, payload, dest);
  to.door.remote().devices().put(as_elsewhere(to.door, to.process, target), payload, to.call);
  return true;
}

// `Deliver`: the rank whose functions write the payload to its target.
template <auto Deliver>
[[gnu::always_inline]] inline int send_long_by(const Destination& to, const Long& what) {
  const auto [handler, payload, dest, lc_opt, flags, arguments] = what;
  const Turn turn(to, flags);
  if (!turn) return 1;
  const bool carries = carries_payload(to, payload.size(), flags);
  const std::optional<Draft> draft = open(to, carries ? Payload::block : Payload::none, flags);
  if (!draft) return 1;
  if (carries) {
    to.door.devices().copy(to.call, draft->block.data(), payload.data(), payload.size());
  } else if (!Deliver(to, payload, dest, flags)) {
    to.door.engine().messages().cancel(*draft);
    return 1;
  }
  draft->message->arguments = static_cast<std::uint8_t>(arguments.count);
  write_target(*draft->message, dest);
  send(to, *draft,
       {carries ? Category::long_in_message : Category::long_message, handler, payload.size(),
        arguments});
  local_completion(lc_opt);
  return 0;
}

[[gnu::noinline, gnu::cold]] int send_any_long(const Destination& to, const Long& what) {
  examine_size(to, what.payload.size(), longest_long(to.door));
  return to.door.devices().may_hold(what.payload.data())
             ? send_long_by<&deliver_from_device>(to, what)
             : send_long_by<&deliver_from_host>(to, what);
}

}  // namespace

int send_long(const Destination& to, gex_AM_Index_t handler, Bytes payload, void* dest,
              gex_Event_t* lc_opt, gex_Flags_t flags, const Arguments& arguments) {
  const Long what{handler, payload, dest, lc_opt, flags, arguments};
  if (payload.size() > to.door.devices().max_plain_long()) [[unlikely]]
    return send_any_long(to, what);
  return send_long_by<&deliver_from_host>(to, what);
}

// The message that follows announces the payload.
bool deliver_long(const Destination& to, Bytes payload, void* dest, gex_Flags_t flags) {
  return to.door.devices().may_hold(payload.data()) ? deliver_from_device(to, payload, dest, flags)
                                                    : deliver_from_host(to, payload, dest, flags);
}

}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

// NOLINTBEGIN(readability-function-size): the standard chose the parameters

namespace {

gondwana::Bytes bytes(const void* address, std::size_t size) {
  return {static_cast<const std::byte*>(address), size};
}

int note_reply(gex_Token_t token, int refused) {
  if (refused == 0) token->replied = true;
  return refused;
}

}  // namespace

int gondwana_gex_request_short(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                               gex_Flags_t flags, unsigned nargs, const gex_AM_Arg_t* args) {
  return send_short(request_to(tm, rank, "gex_AM_RequestShort"), handler, flags, {nargs, args});
}

int gondwana_gex_request_medium(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                                const void* source_addr, size_t nbytes, gex_Event_t* lc_opt,
                                gex_Flags_t flags, unsigned nargs, const gex_AM_Arg_t* args) {
  return send_medium(request_to(tm, rank, "gex_AM_RequestMedium"), handler,
                     bytes(source_addr, nbytes), lc_opt, flags, {nargs, args});
}

int gondwana_gex_request_long(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler,
                              const void* source_addr, size_t nbytes, void* dest_addr,
                              gex_Event_t* lc_opt, gex_Flags_t flags, unsigned nargs,
                              const gex_AM_Arg_t* args) {
  return send_long(request_to(tm, rank, "gex_AM_RequestLong"), handler, bytes(source_addr, nbytes),
                   dest_addr, lc_opt, flags, {nargs, args});
}

int gondwana_gex_reply_short(gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t flags,
                             unsigned nargs, const gex_AM_Arg_t* args) {
  return note_reply(
      token, send_short(reply_to(token, "gex_AM_ReplyShort"), handler, flags, {nargs, args}));
}

int gondwana_gex_reply_medium(gex_Token_t token, gex_AM_Index_t handler, const void* source_addr,
                              size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags, unsigned nargs,
                              const gex_AM_Arg_t* args) {
  return note_reply(token, send_medium(reply_to(token, "gex_AM_ReplyMedium"), handler,
                                       bytes(source_addr, nbytes), lc_opt, flags, {nargs, args}));
}

int gondwana_gex_reply_long(gex_Token_t token, gex_AM_Index_t handler, const void* source_addr,
                            size_t nbytes, void* dest_addr, gex_Event_t* lc_opt, gex_Flags_t flags,
                            unsigned nargs, const gex_AM_Arg_t* args) {
  return note_reply(
      token, send_long(reply_to(token, "gex_AM_ReplyLong"), handler, bytes(source_addr, nbytes),
                       dest_addr, lc_opt, flags, {nargs, args}));
}

// NOLINTEND(readability-function-size)
