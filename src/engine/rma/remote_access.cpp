#include "engine/rma/remote_access.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gondwana {
namespace {

// For a word of 4 or 8 bytes.
AtomicRequest swap_of(Bytes word) {
  AtomicRequest swap{AtomicOp::swap, word.size() == 4 ? AtomicType::uint32 : AtomicType::uint64};
  std::memcpy(&swap.operand, word.data(), word.size());
  return swap;
}

}  // namespace

bool RemoteAccess::put(Lane& lane, Remote to, Bytes source, Buffer buffer) {
  lane.counters().add_put(source.size());
  return put_uncounted(lane, to, source, buffer);
}

bool RemoteAccess::get(Lane& lane, MutableBytes dest, Remote from, Buffer buffer) {
  lane.counters().add_get(dest.size());
  return get_uncounted(lane, dest, from, buffer);
}

std::optional<std::uint64_t> RemoteAccess::request(Lane& lane, Remote at,
                                                   const AtomicRequest& request, CallName call) {
  lane.counters().add(Count::atomics);
  return request_uncounted(lane, at, request, call);
}

bool RemoteAccess::begin_request(Lane& lane, Remote at, const AtomicRequest& request,
                                 std::byte* old) {
  return begin_request(lane, at, request, old, lane.pending()).has_value();
}

// A torn put of two bytes takes several round trips, and so always waits.
RemoteAccess::Begun RemoteAccess::begin_put(Lane& lane, Remote to, Bytes source, Completion& done,
                                            NoRoom no_room) {
  Begun begun;
  if (!is_torn(to, source.size())) {
    begun = post_parts(lane, to, source, done, no_room);
  } else if (source.size() == 2) {
    if (store_short(lane, to, source)) begun = Posted::accepted;
  } else {
    const AtomicRequest swap = swap_of(source);
    begun = post("put", lane, no_room, [&] { return wire_->atomic(to, swap, nullptr, done); });
  }
  if (begun == Posted::accepted) lane.counters().add_put(source.size());
  return begun;
}

RemoteAccess::Begun RemoteAccess::begin_get(Lane& lane, MutableBytes dest, Remote from,
                                            Completion& done, NoRoom no_room) {
  const Begun begun = post_get(lane, dest, from, done, no_room);
  if (begun == Posted::accepted) lane.counters().add_get(dest.size());
  return begun;
}

RemoteAccess::Begun RemoteAccess::begin_request(Lane& lane, Remote at, const AtomicRequest& request,
                                                std::byte* old, Completion& done, NoRoom no_room) {
  if (!has_atomics(lane)) return std::nullopt;
  const Begun begun = post("atomic operation", lane, no_room,
                           [&] { return wire_->atomic(at, request, old, done); });
  if (begun == Posted::accepted) lane.counters().add(Count::atomics);
  return begun;
}

// Sends puts as messages up to four times the usual size. A signal may follow a message at once,
// but must wait for a network write (docs/eager_messages.md).
bool RemoteAccess::put_before_signal(Lane& lane, Remote to, Bytes source) {
  const Limits& limits = wire_.limits();
  const std::size_t others = std::max(limits.copies_up_to, sizeof(std::uint64_t));
  const std::size_t most = std::min(4 * limits.copies_up_to, limits.packs_up_to);
  if (source.size() <= others || source.size() > most) return put(lane, to, source);
  lane.counters().add_put(source.size());
  const StridedRun whole{.size = source.size(),
                         .count = 1,
                         .there = to.offset,
                         .here = const_cast<std::byte*>(source.data())};
  return post("put", lane,
              [&] { return wire_->put_packed(to.rank, std::span(&whole, 1), lane.pending()); });
}

bool RemoteAccess::has_atomics(Lane& lane) {
  if (wire_.limits().atomics) return true;
  return lane.fail({Errc::missing, fmt::format("transport {} offers no atomic operations, and "
                                               "this version has no other way to do them",
                                               wire_->name())});
}

bool RemoteAccess::begin_uncounted(Lane& lane, Remote at, const AtomicRequest& request) {
  if (!has_atomics(lane)) return false;
  return post("atomic operation", lane,
              [&] { return wire_->atomic(at, request, nullptr, lane.pending()); });
}

std::optional<std::uint64_t> RemoteAccess::request_uncounted(Lane& lane, Remote at,
                                                             const AtomicRequest& request,
                                                             CallName call) {
  if (!has_atomics(lane)) return std::nullopt;
  order(lane);  // it must see earlier operations of this rank
  std::uint64_t old = 0;
  Completion done;
  auto* bytes = reinterpret_cast<std::byte*>(&old);
  if (!post(call, lane, [&] { return wire_->atomic(at, request, bytes, done); }))
    return std::nullopt;
  complete(done, call);
  return old;
}

// Whether a put of this size to this place must arrive in one piece, but would not.
bool RemoteAccess::is_torn(Remote to, std::size_t size) const {
  const bool word = (size == 2 || size == 4 || size == 8) && to.offset % size == 0;
  return word && !wire_.limits().single_store && wire_.limits().atomics;
}

// A put of 2, 4 or 8 aligned bytes must arrive in one piece. If the transport does not promise a
// single store, it becomes an atomic swap. The transport copies other small puts, or they are
// bounced, so their source is free at once, unless it may be kept. Large ones wait for delivery.
bool RemoteAccess::put_uncounted(Lane& lane, Remote to, Bytes source, Buffer buffer) {
  const std::size_t size = source.size();
  if (is_torn(to, size)) return store(lane, to, source);
  if (buffer == Buffer::kept_until_quiet)
    return post_parts(lane, to, source, lane.pending(), NoRoom::wait).has_value();
  if (size <= wire_.limits().copies_up_to)
    return post("put", lane, [&] { return wire_->put(to, source, lane.pending()); });
  if (size <= std::min(Lane::bounce_limit, wire_.limits().largest_message))
    return put_copied(lane, to, source);
  Completion done;
  const Begun posted = post_parts(lane, to, source, done, NoRoom::wait);
  complete(done, "put");
  return posted.has_value();
}

// Without room for the copy, earlier puts have to complete first.
bool RemoteAccess::put_copied(Lane& lane, Remote to, Bytes source) {
  keeps_fence(lane, to, source.size(), NoRoom::wait);
  return post("put", lane, [&]() -> Result<Posted> {
    Bytes copy = lane.bounce(source);
    if (copy.empty() && lane.begin_generation()) copy = lane.bounce(source);
    if (copy.empty()) return Posted::busy;
    Result<Posted> posted = wire_->put(to, copy, lane.pending());
    if (!posted || *posted == Posted::busy) lane.drop_bounced(copy);
    return posted;
  });
}

// A get must see earlier puts of this rank. A get sent as a message follows them. A network read
// has to wait for them.
bool RemoteAccess::get_uncounted(Lane& lane, MutableBytes dest, Remote from, Buffer buffer) {
  if (buffer == Buffer::kept_until_quiet)
    return post_get(lane, dest, from, lane.pending(), NoRoom::wait).has_value();
  Completion done;
  Begun posted;
  if (!lane.is_done() && is_get_message(dest.size())) {
    order(lane);
    posted = post_get(lane, dest, from, done, NoRoom::wait);
  } else {
    drain(lane);
    posted = post_parts(lane, dest, from, done, NoRoom::wait);
  }
  complete(done, "get");
  return posted.has_value();
}

// The first try of a get makes the connection.
bool RemoteAccess::get_all_uncounted(Lane& lane, std::span<const Get> gets) {
  Completion done;
  bool is_well = true;
  const auto begin = [&](const Get& get, NoRoom no_room) {
    const Begun begun = post_get(lane, get.dest, get.from, done, no_room);
    is_well = is_well && begun.has_value();
    return begun;
  };
  std::vector<Get> later;
  for (const Get& get : gets)
    if (begin(get, NoRoom::try_once) == Posted::busy) later.push_back(get);
  for (const Get& get : later) begin(get, NoRoom::wait);
  complete(done, "get");
  return is_well;
}

// Larger gets are faster without copies, even if they wait.
bool RemoteAccess::is_get_message(std::size_t size) const {
  const Limits& limits = wire_.limits();
  return size <= std::min(limits.copies_up_to, limits.packs_up_to);
}

// Small gets are messages, which gather. A single one is as fast as a network read.
RemoteAccess::Begun RemoteAccess::post_get(Lane& lane, MutableBytes dest, Remote from,
                                           Completion& done, NoRoom no_room) {
  if (!is_get_message(dest.size())) return post_parts(lane, dest, from, done, no_room);
  const StridedRun whole{
      .size = dest.size(), .count = 1, .there = from.offset, .here = dest.data()};
  return post("get", lane, no_room,
              [&] { return wire_->get_packed(from.rank, std::span(&whole, 1), done); });
}

bool RemoteAccess::store(Lane& lane, Remote to, Bytes word) {
  if (word.size() == 2) return store_short(lane, to, word);
  return request_uncounted(lane, to, swap_of(word), "put").has_value();
}

// No atomic operation is as small as two bytes, so this exchanges the four around them.
bool RemoteAccess::store_short(Lane& lane, Remote to, Bytes value) {
  const std::size_t at = to.offset % sizeof(std::uint32_t);
  const Remote around{to.rank, to.offset - at};
  std::optional<std::uint64_t> found =
      request_uncounted(lane, around, {AtomicOp::fetch, AtomicType::uint32}, "put");
  for (std::optional<std::uint64_t> expected; found && found != expected;) {
    expected = found;
    AtomicRequest exchange{AtomicOp::compare_swap, AtomicType::uint32, *expected, *expected};
    std::memcpy(reinterpret_cast<std::byte*>(&exchange.operand) + at, value.data(), value.size());
    found = request_uncounted(lane, around, exchange, "put");
  }
  return found.has_value();
}

RemoteAccess::Begun RemoteAccess::post_parts(Lane& lane, Remote to, Bytes source, Completion& done,
                                             NoRoom no_room) {
  if (!keeps_fence(lane, to, source.size(), no_room)) return Posted::busy;
  // No piece ends inside an aligned word.
  const std::size_t most = wire_.limits().largest_message;
  const std::size_t first = most - (to.offset + most) % sizeof(std::uint64_t);
  Begun posted = Posted::accepted;
  for (std::size_t at = 0, end = 0; at < source.size() && posted == Posted::accepted; at = end) {
    end = std::min(at == 0 ? first : at + most / 8 * 8, source.size());
    const Bytes piece = source.subspan(at, end - at);
    posted = post("put", lane, at == 0 ? no_room : NoRoom::wait,
                  [&] { return wire_->put({to.rank, to.offset + at}, piece, done); });
  }
  return posted;
}

RemoteAccess::Begun RemoteAccess::post_parts(Lane& lane, MutableBytes dest, Remote from,
                                             Completion& done, NoRoom no_room) {
  const std::size_t most = wire_.limits().largest_message;
  Begun posted = Posted::accepted;
  for (std::size_t at = 0; at < dest.size() && posted == Posted::accepted; at += most) {
    const MutableBytes piece = dest.subspan(at, std::min(most, dest.size() - at));
    posted = post("get", lane, at == 0 ? no_room : NoRoom::wait,
                  [&] { return wire_->get(piece, {from.rank, from.offset + at}, done); });
  }
  return posted;
}

// Waits for room on the wire, or tries once. Returns nothing, with the error in the lane, on
// failure. A thread that waits does not have the turn. A try without room makes progress, so that
// one of many tries finds room.
RemoteAccess::Begun RemoteAccess::post(CallName call, Lane& lane, NoRoom no_room,
                                       FunctionRef<Result<Posted>()> attempt) {
  Result<Posted> posted = try_in_turn(no_room, attempt);
  const bool is_busy = posted && *posted == Posted::busy;
  if (is_busy && no_room == NoRoom::refuse) progress();
  if (is_busy && no_room == NoRoom::wait)
    waiter_->until({.call = call, .on_network = true}, [&] {
      posted = try_in_turn(no_room, attempt);
      return !posted || *posted == Posted::accepted;
    });
  if (!posted) {
    lane.fail(posted.error());
    return std::nullopt;
  }
  return *posted;
}

std::unique_lock<std::recursive_mutex> RemoteAccess::take_turn(NoRoom no_room) {
  if (no_room == NoRoom::wait) return std::unique_lock(turn_);
  return {turn_, std::try_to_lock};
}

Result<Posted> RemoteAccess::try_in_turn(NoRoom no_room, FunctionRef<Result<Posted>()> attempt) {
  const auto turn = take_turn(no_room);
  if (!turn) return Posted::busy;
  Result<Posted> posted = attempt();
  if (posted && *posted == Posted::accepted) set_needs_calls(true);
  return posted;
}

void RemoteAccess::complete(Completion& done, CallName call) {
  waiter_->until({.call = call, .on_network = true}, [&] { return done.done(); });
}

void RemoteAccess::drain(Lane& lane) {
  if (lane.is_done()) return;
  const std::uint64_t so_far = lane.generation();
  waiter_->until({.call = "quiet", .on_network = true}, [&] {
    const std::scoped_lock turn(turn_);
    return lane.is_complete(so_far);
  });
}

// Does not wait if nothing could be overtaken.
void RemoteAccess::order(Lane& lane) {
  const auto has_unordered = [this] {
    const std::scoped_lock turn(turn_);
    return wire_->has_unordered();
  };
  if (has_unordered()) drain(lane);
}

// Messages reach a node in order, but network writes may overtake them. So a fence waits for
// earlier network puts and only marks earlier messages; the next network put waits for those.
void RemoteAccess::fence(Lane& lane) {
  order(lane);
  const std::scoped_lock turn(turn_);
  lane.set_fence_mark(wire_->accepted());
}

bool RemoteAccess::keeps_fence(Lane& lane, Remote to, std::size_t size, NoRoom no_room) {
  const bool is_message = size <= wire_.limits().copies_up_to;
  if (is_message) return true;
  const auto is_kept = [&] {
    const auto turn = take_turn(no_room);
    if (!turn) return false;
    return lane.fence_mark() == 0 || wire_->has_executed(to.rank, lane.fence_mark());
  };
  if (no_room == NoRoom::refuse) {
    if (is_kept()) return true;
    progress();
    return false;
  }
  waiter_->until({.call = "put", .peer = index(to.rank), .on_network = true}, is_kept);
  return true;
}

void RemoteAccess::send_update(Rank to, const Update& update) {
  if (messages_.remote()->update(to, update)) return;
  has_untold_.store(true, std::memory_order_relaxed);
  set_needs_calls(true);
}

void RemoteAccess::depart(CallName call) {
  waiter_->until({.call = call, .on_network = true}, [&] {
    const std::scoped_lock turn(turn_);
    return is_departed();
  });
}

bool RemoteAccess::is_departed() {
  const RemoteMessages* remote = messages_.remote();
  return (remote == nullptr || remote->is_all_sent()) && wire_->departed();
}

bool RemoteAccess::progress() {
  const std::unique_lock turn(turn_, std::try_to_lock);
  return turn && move_on();
}

// A thread that finds the turn taken sleeps too: the thread that has it polls.
void RemoteAccess::sleep(std::chrono::microseconds limit) {
  {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (turn && !wire_->may_sleep()) return;
  }
  wire_->sleep(limit);
}

bool RemoteAccess::move_on() {
  const bool moved = wire_->progress();
  if (RemoteMessages* remote = messages_.remote(); remote != nullptr) remote->move_on();
  if (needs_calls() && is_departed()) {
    has_untold_.store(false, std::memory_order_relaxed);
    if (!wire_->has_unordered()) set_needs_calls(false);
  }
  if (const Error* loss = wire_->lost(); loss != nullptr) [[unlikely]]
    tell_lost(*loss);
  return moved;
}

}  // namespace gondwana
