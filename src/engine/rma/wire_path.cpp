// Where loads and stores do not reach, and where arguments are wrong: split, bounce, wait for room,
// complete. Nothing here is hot on a node.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "core/library_of.hpp"
#include "core/mapping.hpp"
#include "engine/engine.hpp"

namespace gondwana {
namespace {

// Of 4 or 8 bytes.
AtomicRequest swap_of(Bytes word) {
  AtomicRequest swap{AtomicOp::swap, word.size() == 4 ? AtomicType::uint32 : AtomicType::uint64};
  std::memcpy(&swap.operand, word.data(), word.size());
  return swap;
}

// A clause where somebody may have taken the variables of a library for symmetric ones.
std::string of_library(const void* object) {
  const std::string library = library_of(object);
  if (library.empty()) return {};
  return fmt::format("it is in {}, and of variables only those of the executable are symmetric; ",
                     library);
}

// A word that a node agent carries out an operation on. It refuses others without an answer.
Result<Remote> aligned(Result<Remote> place, std::size_t size) {
  if (!place || place->offset % size == 0) return place;
  return Error{Errc::invalid_argument,
               fmt::format("a word of {} bytes on rank {} does not lie at a multiple of its size; "
                           "another node cannot change it in one piece",
                           size, index(place->rank))};
}

}  // namespace

// The one place that says what is wrong with a rank or an address.
Result<Remote> Engine::locate(const char* what, Rank rank, const void* object,
                              std::size_t size) const {
  if (index(rank) >= ranks_) {
    return Error{
        Errc::invalid_argument,
        fmt::format("{} of {} to rank {}: this job has {} ranks, 0 to {}", what, format_size(size),
                    static_cast<std::int32_t>(index(rank)), ranks_, ranks_ - 1)};
  }
  const std::size_t offset = symmetric_.ranges().offset_of(object, size);
  if (offset == SymmetricRanges::nowhere) {
    return Error{Errc::invalid_argument,
                 fmt::format("{} of {} at address {} of rank {}: not symmetric memory; {}{}", what,
                             format_size(size), fmt::ptr(object), index(rank), of_library(object),
                             symmetric_.describe())};
  }
  return Remote{rank, offset};
}

// For a transfer in many pieces, before the first of them: all or nothing.
bool Engine::is_valid(Lane& lane, const char* what, Rank rank, const void* object,
                      std::size_t size) const {
  const Result<Remote> whole = locate(what, rank, object, size);
  return whole ? true : lane.fail(whole.error());
}

// Of a collective, on this rank: the same addresses are symmetric on all members or on none.
bool Engine::are_symmetric(const char* what, const void* dest, std::size_t dest_size,
                           const void* source, std::size_t source_size) {
  return (dest_size == 0 || is_valid(default_lane_, what, rank_, dest, dest_size)) &&
         (source_size == 0 || is_valid(default_lane_, what, rank_, source, source_size));
}

bool Engine::put_elsewhere(Lane& lane, Rank to, const void* dest, const void* source,
                           std::size_t size, Buffer buffer) {
  if (size == 0) return true;
  const Result<Remote> place = locate("put", to, dest, size);
  if (!place) return lane.fail(place.error());
  lane.counters().add_put(size);
  return put_over_wire(lane, *place, Bytes(static_cast<const std::byte*>(source), size), buffer);
}

bool Engine::get_elsewhere(Lane& lane, Rank from, void* dest, const void* source, std::size_t size,
                           Buffer buffer) {
  if (size == 0) return true;
  const Result<Remote> place = locate("get", from, source, size);
  if (!place) return lane.fail(place.error());
  lane.counters().add_get(size);
  return get_over_wire(lane, MutableBytes(static_cast<std::byte*>(dest), size), *place, buffer);
}

std::optional<std::uint64_t> Engine::request_elsewhere(Lane& lane, Rank at, const void* dest,
                                                       const AtomicRequest& request) {
  const std::size_t size = width(request.type);
  const Result<Remote> place = aligned(locate("atomic operation", at, dest, size), size);
  if (!place) {
    lane.fail(place.error());
    return std::nullopt;
  }
  lane.counters().add(Count::atomics);
  return request_over_wire(lane, *place, request, "atomic operation");
}

bool Engine::begin_elsewhere(Lane& lane, Rank at, const void* dest, const AtomicRequest& request,
                             std::byte* old) {
  const std::size_t size = width(request.type);
  const Result<Remote> place = aligned(locate("atomic operation", at, dest, size), size);
  if (!place) return lane.fail(place.error());
  lane.counters().add(Count::atomics);
  return begin_over_wire(lane, *place, request, old);
}

bool Engine::put_to_place(Lane& lane, Remote to, Bytes source, Buffer buffer) {
  lane.counters().add_put(source.size());
  return put_over_wire(lane, to, source, buffer);
}

bool Engine::get_from_place(Lane& lane, MutableBytes dest, Remote from, Buffer buffer) {
  lane.counters().add_get(dest.size());
  return get_over_wire(lane, dest, from, buffer);
}

std::optional<std::uint64_t> Engine::request_at_place(Lane& lane, Remote at,
                                                      const AtomicRequest& request, CallName call) {
  lane.counters().add(Count::atomics);
  return request_over_wire(lane, at, request, call);
}

// Two bytes that no put keeps together take several round trips, and so wait in any case.
Engine::Begun Engine::begin_put(Lane& lane, Remote to, Bytes source, Completion& done,
                                NoRoom no_room) {
  const auto turn = take_wire(no_room);
  if (!turn) return Posted::busy;
  Begun begun;
  if (!is_torn(to, source.size())) {
    begun = post_pieces(lane, to, source, done, no_room);
  } else if (source.size() == 2) {
    if (store_short_over_wire(lane, to, source)) begun = Posted::accepted;
  } else {
    const AtomicRequest swap = swap_of(source);
    begun = post(lane, no_room, [&] { return wire_.atomic(to, swap, nullptr, done); });
  }
  if (begun == Posted::accepted) lane.counters().add_put(source.size());
  return begun;
}

Engine::Begun Engine::begin_get(Lane& lane, MutableBytes dest, Remote from, Completion& done,
                                NoRoom no_room) {
  const auto turn = take_wire(no_room);
  if (!turn) return Posted::busy;
  const Begun begun = post_pieces(lane, dest, from, done, no_room);
  if (begun == Posted::accepted) lane.counters().add_get(dest.size());
  return begun;
}

Engine::Begun Engine::begin_request(Lane& lane, Remote at, const AtomicRequest& request,
                                    std::byte* old, Completion& done, NoRoom no_room) {
  if (!has_wire_atomics(lane)) return std::nullopt;
  const auto turn = take_wire(no_room);
  if (!turn) return Posted::busy;
  const Begun begun = post(lane, no_room, [&] { return wire_.atomic(at, request, old, done); });
  if (begun == Posted::accepted) lane.counters().add(Count::atomics);
  return begun;
}

// The signal is sent once the data has been delivered, or goes behind it.
bool Engine::put_signal_elsewhere(Lane& lane, Rank to, const void* dest, Bytes source,
                                  const Signal& signal) {
  const std::size_t size = sizeof(signal.value);
  const Result<Remote> word = aligned(locate("signal", to, signal.word, size), size);
  if (!word) return lane.fail(word.error());
  if (!put_before_signal(lane, to, dest, source)) return false;
  order(lane);
  if (signal.op == SignalOp::set) {
    lane.counters().add_put(sizeof(signal.value));
    return put_over_wire(lane, *word, std::as_bytes(std::span(&signal.value, 1)));
  }
  lane.counters().add(Count::atomics);
  const AtomicRequest add{AtomicOp::add, AtomicType::uint64, signal.value};
  return begin_over_wire(lane, *word, add, nullptr);
}

// Four times as much as of other puts goes as a message: a signal may follow it at once, while what
// the network writes is waited for (docs/eager_messages.md).
bool Engine::put_before_signal(Lane& lane, Rank to, const void* dest, Bytes source) {
  const Limits& limits = wire_.limits();
  const std::size_t others = std::max(limits.copies_up_to, sizeof(std::uint64_t));
  const std::size_t most = std::min(4 * limits.copies_up_to, limits.packs_up_to);
  if (source.size() <= others || source.size() > most)
    return put_elsewhere(lane, to, dest, source.data(), source.size());
  const Result<Remote> place = locate("put", to, dest, source.size());
  if (!place) return lane.fail(place.error());
  lane.counters().add_put(source.size());
  const StridedRun whole{.size = source.size(),
                         .count = 1,
                         .there = place->offset,
                         .here = const_cast<std::byte*>(source.data())};
  const std::scoped_lock turn(wire_mutex_);
  return post(lane, [&] { return wire_.spread(to, std::span(&whole, 1), lane.pending()); });
}

bool Engine::has_wire_atomics(Lane& lane) {
  if (wire_.limits().atomics) return true;
  return lane.fail({Errc::missing, fmt::format("transport {} offers no atomic operations, and "
                                               "this version has no other way to do them",
                                               wire_.name())});
}

bool Engine::begin_over_wire(Lane& lane, Remote at, const AtomicRequest& request, std::byte* old) {
  if (!has_wire_atomics(lane)) return false;
  const std::scoped_lock turn(wire_mutex_);
  return post(lane, [&] { return wire_.atomic(at, request, old, lane.pending()); });
}

std::optional<std::uint64_t> Engine::request_over_wire(Lane& lane, Remote at,
                                                       const AtomicRequest& request,
                                                       CallName call) {
  if (!has_wire_atomics(lane)) return std::nullopt;
  const std::scoped_lock turn(wire_mutex_);
  order(lane);  // it may ask for what an operation of ours is still carrying there
  std::uint64_t old = 0;
  Completion done;
  auto* bytes = reinterpret_cast<std::byte*>(&old);
  if (!post(lane, [&] { return wire_.atomic(at, request, bytes, done); })) return std::nullopt;
  complete(done, call);
  return old;
}

// Whether a put of this size to this place must arrive in one piece, and would not.
bool Engine::is_torn(Remote to, std::size_t size) const {
  const bool word = (size == 2 || size == 4 || size == 8) && to.offset % size == 0;
  return word && !wire_.limits().single_store && wire_.limits().atomics;
}

// A put of at most 8 aligned bytes must arrive in one piece: as an atomic swap where the transport
// does not promise a single store. Of the others the small ones are copied by the transport, or
// bounced, so that their source is free at once, unless it may be kept; the large ones wait for
// delivery.
bool Engine::put_over_wire(Lane& lane, Remote to, Bytes source, Buffer buffer) {
  const std::scoped_lock turn(wire_mutex_);
  const std::size_t size = source.size();
  if (is_torn(to, size)) return store_over_wire(lane, to, source);
  if (buffer == Buffer::kept_until_quiet)
    return post_pieces(lane, to, source, lane.pending(), NoRoom::wait).has_value();
  if (size <= wire_.limits().copies_up_to)
    return post(lane, [&] { return wire_.put(to, source, lane.pending()); });
  if (size <= std::min(Lane::bounce_limit, wire_.limits().largest_message)) {
    Bytes copy = lane.bounce(source);
    if (copy.empty()) {
      drain(lane);
      copy = lane.bounce(source);
    }
    keeps_fence(lane, to, size, NoRoom::wait);
    return post(lane, [&] { return wire_.put(to, copy, lane.pending()); });
  }
  Completion done;
  const Begun posted = post_pieces(lane, to, source, done, NoRoom::wait);
  complete(done, "put");
  return posted.has_value();
}

// What puts of ours are still carrying there a get may ask for. As a message it goes behind them,
// but they are waited for before the network reads.
bool Engine::get_over_wire(Lane& lane, MutableBytes dest, Remote from, Buffer buffer) {
  const std::scoped_lock turn(wire_mutex_);
  if (buffer == Buffer::kept_until_quiet)
    return post_pieces(lane, dest, from, lane.pending(), NoRoom::wait).has_value();
  Completion done;
  bool posted = false;
  if (goes_behind_puts(lane, dest.size())) {
    order(lane);
    const StridedRun whole{
        .size = dest.size(), .count = 1, .there = from.offset, .here = dest.data()};
    posted = post(lane, [&] { return wire_.gather(from.rank, std::span(&whole, 1), done); });
  } else {
    drain(lane);
    posted = post_pieces(lane, dest, from, done, NoRoom::wait).has_value();
  }
  complete(done, "get");
  return posted;
}

// Where there are any. Larger ones are faster without copies, even if they wait.
bool Engine::goes_behind_puts(Lane& lane, std::size_t size) {
  const Limits& limits = wire_.limits();
  return !lane.pending().done() && size <= std::min(limits.copies_up_to, limits.packs_up_to);
}

bool Engine::store_over_wire(Lane& lane, Remote to, Bytes word) {
  if (word.size() == 2) return store_short_over_wire(lane, to, word);
  return request_over_wire(lane, to, swap_of(word), "put").has_value();
}

// No atomic operation is as small as two bytes: exchanges the four that they lie in.
bool Engine::store_short_over_wire(Lane& lane, Remote to, Bytes value) {
  const std::size_t at = to.offset % sizeof(std::uint32_t);
  const Remote around{to.rank, to.offset - at};
  std::optional<std::uint64_t> found =
      request_over_wire(lane, around, {AtomicOp::fetch, AtomicType::uint32}, "put");
  for (std::optional<std::uint64_t> expected; found && found != expected;) {
    expected = found;
    AtomicRequest exchange{AtomicOp::compare_swap, AtomicType::uint32, *expected, *expected};
    std::memcpy(reinterpret_cast<std::byte*>(&exchange.operand) + at, value.data(), value.size());
    found = request_over_wire(lane, around, exchange, "put");
  }
  return found.has_value();
}

std::unique_lock<std::recursive_mutex> Engine::take_wire(NoRoom no_room) {
  if (no_room == NoRoom::wait) return std::unique_lock(wire_mutex_);
  return {wire_mutex_, std::try_to_lock};
}

Engine::Begun Engine::post_pieces(Lane& lane, Remote to, Bytes source, Completion& done,
                                  NoRoom no_room) {
  if (!keeps_fence(lane, to, source.size(), no_room)) return Posted::busy;
  const std::size_t most = wire_.limits().largest_message;
  Begun posted = Posted::accepted;
  for (std::size_t at = 0; at < source.size() && posted == Posted::accepted; at += most) {
    const Bytes piece = source.subspan(at, std::min(most, source.size() - at));
    posted = post(lane, at == 0 ? no_room : NoRoom::wait,
                  [&] { return wire_.put({to.rank, to.offset + at}, piece, done); });
  }
  return posted;
}

Engine::Begun Engine::post_pieces(Lane& lane, MutableBytes dest, Remote from, Completion& done,
                                  NoRoom no_room) {
  const std::size_t most = wire_.limits().largest_message;
  Begun posted = Posted::accepted;
  for (std::size_t at = 0; at < dest.size() && posted == Posted::accepted; at += most) {
    const MutableBytes piece = dest.subspan(at, std::min(most, dest.size() - at));
    posted = post(lane, at == 0 ? no_room : NoRoom::wait,
                  [&] { return wire_.get(piece, {from.rank, from.offset + at}, done); });
  }
  return posted;
}

// Tries until the wire has room, or once. Nothing, with the error in the lane, where it never will.
// Who makes room may need this processor.
Engine::Begun Engine::post(Lane& lane, NoRoom no_room, FunctionRef<Result<Posted>()> attempt) {
  constexpr std::uint32_t tries_between_yields = 4;
  for (std::uint32_t tries = 1;; ++tries) {
    const Result<Posted> posted = attempt();
    if (!posted) {
      lane.fail(posted.error());
      return std::nullopt;
    }
    if (*posted == Posted::accepted) wire_needs_us_.store(true, std::memory_order_relaxed);
    if (*posted == Posted::accepted || no_room == NoRoom::refuse) return *posted;
    move_on();
    if (tries % tries_between_yields == 0) ::sched_yield();
  }
}

void Engine::complete(Completion& done, CallName call) {
  wait({.call = call, .on_wire = true}, [&] { return done.done(); });
}

void Engine::drain(Lane& lane) {
  const std::scoped_lock turn(wire_mutex_);
  complete(lane.pending(), "quiet");
  lane.reset_bounce();
}

// Where nothing could be overtaken there is nothing to wait for.
void Engine::order(Lane& lane) {
  const std::scoped_lock turn(wire_mutex_);
  if (wire_.has_unordered()) drain(lane);
}

// Messages reach a node in their order, and what the network places may overtake them. So a fence
// waits for earlier network puts and only marks earlier messages: the next network put waits for
// those.
void Engine::mark_fence(Lane& lane) {
  const std::scoped_lock turn(wire_mutex_);
  order(lane);
  lane.set_fence_mark(wire_.accepted());
}

bool Engine::keeps_fence(Lane& lane, Remote to, std::size_t size, NoRoom no_room) {
  const bool is_message = size <= wire_.limits().copies_up_to;
  if (is_message || lane.fence_mark() == 0) return true;
  const auto is_kept = [&] { return wire_.has_executed(to.rank, lane.fence_mark()); };
  if (no_room == NoRoom::refuse) return is_kept();
  wait({.call = "put", .peer = index(to.rank), .on_wire = true}, is_kept);
  return true;
}

// Until messages of this rank arrive whether it calls or not.
void Engine::depart(CallName call) {
  const std::scoped_lock turn(wire_mutex_);
  wait({.call = call, .on_wire = true}, [&] { return is_departed(); });
}

bool Engine::is_departed() {
  const Mail* mail = messages_.mail();
  return (mail == nullptr || mail->is_all_sent()) && wire_.departed();
}

bool Engine::progress() {
  const std::unique_lock turn(wire_mutex_, std::try_to_lock);
  return turn && move_on();
}

bool Engine::move_on() {
  const bool moved = wire_.progress();
  if (Mail* mail = messages_.mail(); mail != nullptr) mail->move_on();
  if (wire_needs_us_.load(std::memory_order_relaxed) && is_departed()) {
    has_untold_.store(false, std::memory_order_relaxed);
    if (!wire_.has_unordered()) wire_needs_us_.store(false, std::memory_order_relaxed);
  }
  if (const Error* lost = wire_.lost(); lost != nullptr && on_lost_) [[unlikely]]
    on_lost_(*lost);
  return moved;
}

}  // namespace gondwana
