#include "engine/rma/remote_access.hpp"

#include <algorithm>

namespace gondwana {

bool RemoteAccess::put(Lane& lane, Remote to, Bytes source, Buffer buffer) {
  lane.counters().add_put(source.size());
  if (!is_message(source.size())) return write(lane, to, source, buffer);
  const auto put = [&] { return wire_->put(to, source, lane.posted().pending()); };
  return post("put", lane, NoRoom::wait, put) == Begun::pending;
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

std::optional<std::uint64_t> RemoteAccess::request_uncounted(Lane& lane, Remote at,
                                                             const AtomicRequest& request,
                                                             CallName call) {
  return fetch_word(lane, call, [&](std::uint64_t& old, Completion& done) {
    return wire_->atomic(at, request, reinterpret_cast<std::byte*>(&old), done);
  });
}

std::optional<std::uint64_t> RemoteAccess::fetch_word(
    Lane& lane, CallName call,
    FunctionRef<Result<Posted>(std::uint64_t& word, Completion& done)> request) {
  order(lane);  // it must see earlier operations of this rank
  std::uint64_t word = 0;
  Completion done;
  if (!post(call, lane, [&] { return request(word, done); })) return std::nullopt;
  return complete(lane, done, call) ? std::optional(word) : std::nullopt;
}

std::optional<std::uint64_t> RemoteAccess::allocate(Lane& lane, Rank at, std::size_t size,
                                                    BlockOwner owner) {
  return fetch_word(lane, "allocation", [&](std::uint64_t& block, Completion& done) {
    return wire_->allocate(at, size, owner, block, done);
  });
}

// The operations of this rank on the block come first.
std::optional<std::uint64_t> RemoteAccess::release(Lane& lane, Remote block) {
  return fetch_word(lane, "free", [&](std::uint64_t& result, Completion& done) {
    return wire_->release(block, result, done);
  });
}

bool RemoteAccess::begin_request(Lane& lane, Remote at, const AtomicRequest& request,
                                 std::byte* old) {
  return begin_request(lane, at, request, old, lane.posted().pending()) == Begun::pending;
}

RemoteAccess::Begun RemoteAccess::begin_put(Lane& lane, Remote to, Bytes source, Completion& done,
                                            NoRoom no_room) {
  const auto put = [&] { return wire_->put(to, source, done); };
  const Begun begun = is_message(source.size()) ? post("put", lane, no_room, put)
                                                : post_parts(lane, to, source, done, no_room);
  if (begun == Begun::pending) lane.counters().add_put(source.size());
  return begun;
}

RemoteAccess::Begun RemoteAccess::begin_get(Lane& lane, MutableBytes dest, Remote from,
                                            Completion& done, NoRoom no_room) {
  const Begun begun = post_get(lane, dest, from, done, no_room);
  if (begun == Begun::pending) lane.counters().add_get(dest.size());
  return begun;
}

RemoteAccess::Begun RemoteAccess::begin_request(Lane& lane, Remote at, const AtomicRequest& request,
                                                std::byte* old, Completion& done, NoRoom no_room) {
  const Begun begun = post("atomic operation", lane, no_room,
                           [&] { return wire_->atomic(at, request, old, done); });
  if (begun == Begun::pending) lane.counters().add(Count::atomics);
  return begun;
}

RemoteAccess::Begun RemoteAccess::begin_pass(Lane& lane, Space space, const StridedRun& pieces,
                                             std::uint64_t packed, Pass way, Completion& done) {
  return post(way == Pass::to_device ? "put" : "get", lane, NoRoom::refuse,
              [&] { return wire_->pass(space, std::span(&pieces, 1), packed, way, done); });
}

// Sends puts as messages up to four times the usual size. A signal may follow a message at once,
// but must wait for a network write (docs/eager_messages.md).
bool RemoteAccess::put_before_signal(Lane& lane, Remote to, Bytes source) {
  const Limits& limits = wire_.limits();
  if (source.size() > std::min(4 * limits.messages_up_to, limits.packs_up_to))
    return put(lane, to, source);
  lane.counters().add_put(source.size());
  return post("put", lane, [&] { return wire_->put(to, source, lane.posted().pending()); });
}

bool RemoteAccess::begin_uncounted(Lane& lane, Remote at, const AtomicRequest& request) {
  return post("atomic operation", lane,
              [&] { return wire_->atomic(at, request, nullptr, lane.posted().pending()); });
}

std::size_t RemoteAccess::max_write(Remote place) const {
  const Limits& limits = wire_.limits();
  return place.owner().is_arena() ? limits.max_write
                                  : std::max(limits.messages_up_to, limits.packs_up_to);
}

// A small write is copied to a bounce buffer, so that its source may be reused at once, unless the
// caller keeps it unchanged. A large one waits for delivery.
bool RemoteAccess::write(Lane& lane, Remote to, Bytes source, Buffer buffer) {
  if (buffer == Buffer::kept_until_quiet)
    return post_parts(lane, to, source, lane.posted().pending(), NoRoom::wait) == Begun::pending;
  if (source.size() <= std::min(Lane::bounce_limit, max_write(to)))
    return write_copied(lane, to, source);
  Completion done;
  const Begun posted = post_parts(lane, to, source, done, NoRoom::wait);
  return complete(lane, done, "put") && posted == Begun::pending;
}

// If the bounce buffer is full, earlier puts must complete first.
bool RemoteAccess::write_copied(Lane& lane, Remote to, Bytes source) {
  keeps_fence(lane, to.rank, NoRoom::wait);
  return post("put", lane, [&]() -> Result<Posted> {
    PostedOperations& others = lane.posted();
    Bytes copy = others.copy(source);
    if (copy.empty() && others.begin_generation()) copy = others.copy(source);
    if (copy.empty()) return Posted::busy;
    Result<Posted> posted = wire_->write(to, copy, others.pending());
    if (!posted || *posted == Posted::busy) others.drop_copy(copy);
    return posted;
  });
}

// A get must see earlier puts of this rank. A get sent as a message follows them. A network read
// has to wait for them.
bool RemoteAccess::get_uncounted(Lane& lane, MutableBytes dest, Remote from, Buffer buffer) {
  if (buffer == Buffer::kept_until_quiet)
    return post_get(lane, dest, from, lane.posted().pending(), NoRoom::wait) == Begun::pending;
  Completion done;
  Begun posted = Begun::failed;
  if (!lane.posted().is_done() && is_message(dest.size())) {
    order(lane);
    posted = post_get(lane, dest, from, done, NoRoom::wait);
  } else {
    drain(lane);
    posted = post_parts(lane, dest, from, done, NoRoom::wait);
  }
  return complete(lane, done, "get") && posted == Begun::pending;
}

// The first try of a get makes the connection.
bool RemoteAccess::get_all_uncounted(Lane& lane, std::span<const Get> gets) {
  Completion done;
  bool is_ok = true;
  const auto begin = [&](const Get& get, NoRoom no_room) {
    const Begun begun = post_get(lane, get.dest, get.from, done, no_room);
    is_ok = is_ok && begun != Begun::failed;
    return begun;
  };
  std::vector<Get> later;
  for (const Get& get : gets)
    if (begin(get, NoRoom::try_once) == Begun::refused) later.push_back(get);
  for (const Get& get : later) begin(get, NoRoom::wait);
  return complete(lane, done, "get") && is_ok;
}

// Small gets are messages, which are batched. A single one is as fast as a network read. Larger
// ones are faster without copies, even if they wait.
RemoteAccess::Begun RemoteAccess::post_get(Lane& lane, MutableBytes dest, Remote from,
                                           Completion& done, NoRoom no_room) {
  if (!is_message(dest.size())) return post_parts(lane, dest, from, done, no_room);
  return post("get", lane, no_room, [&] { return wire_->get(dest, from, done); });
}

RemoteAccess::Begun RemoteAccess::post_parts(Lane& lane, Remote to, Bytes source, Completion& done,
                                             NoRoom no_room) {
  if (!keeps_fence(lane, to.rank, no_room)) return Begun::refused;
  // No piece may end inside an aligned word.
  const std::size_t most = max_write(to);
  const std::size_t first = most - (to.offset + most) % sizeof(std::uint64_t);
  Begun posted = Begun::pending;
  for (std::size_t at = 0, end = 0; at < source.size() && posted == Begun::pending; at = end) {
    end = std::min(at == 0 ? first : at + most / 8 * 8, source.size());
    const Bytes piece = source.subspan(at, end - at);
    posted = post("put", lane, at == 0 ? no_room : NoRoom::wait,
                  [&] { return wire_->write({to.owner(), to.offset + at}, piece, done); });
  }
  return posted;
}

RemoteAccess::Begun RemoteAccess::post_parts(Lane& lane, MutableBytes dest, Remote from,
                                             Completion& done, NoRoom no_room) {
  const std::size_t most = max_write(from);
  Begun posted = Begun::pending;
  for (std::size_t at = 0; at < dest.size() && posted == Begun::pending; at += most) {
    const MutableBytes piece = dest.subspan(at, std::min(most, dest.size() - at));
    posted = post("get", lane, at == 0 ? no_room : NoRoom::wait,
                  [&] { return wire_->read(piece, {from.owner(), from.offset + at}, done); });
  }
  return posted;
}

// Retries while the wire is full, or tries once. A thread does not keep the turn while it waits. A
// failed single try makes progress, so that a later try can succeed.
RemoteAccess::Begun RemoteAccess::post(CallName call, Lane& lane, NoRoom no_room,
                                       FunctionRef<Result<Posted>()> attempt) {
  Result<Posted> posted = Posted::busy;
  const auto has_room = [&] {
    const auto turn = take_turn(no_room);
    if (turn) posted = attempt();
    if (posted && *posted == Posted::busy) return false;
    if (posted) set_needs_calls(true);
    return true;
  };
  if (!has_room()) {
    if (no_room == NoRoom::refuse) progress();
    if (no_room == NoRoom::wait) waiter_->until({.call = call, .on_network = true}, has_room);
  }
  if (!posted) {
    lane.fail(posted.error());
    return Begun::failed;
  }
  return *posted == Posted::accepted ? Begun::pending : Begun::refused;
}

std::unique_lock<std::recursive_mutex> RemoteAccess::take_turn(NoRoom no_room) {
  if (no_room == NoRoom::wait) return std::unique_lock(turn_);
  return {turn_, std::try_to_lock};
}

void RemoteAccess::until(CallName call, FunctionRef<bool()> done) {
  waiter_->until({.call = call, .on_network = true}, done);
}

bool RemoteAccess::complete(Lane& lane, Completion& done, CallName call) {
  waiter_->until({.call = call, .on_network = true}, [&] { return done.done(); });
  return note(lane, done.take_loss());
}

// The door is informed first, even if another thread found the loss.
bool RemoteAccess::note(Lane& lane, const Error* loss) const {
  if (loss == nullptr) [[likely]]
    return true;
  if (!lane.failed()) tell_lost(*loss);
  return lane.fail(*loss);
}

void RemoteAccess::drain(Lane& lane) {
  PostedOperations& posted = lane.posted();
  if (posted.is_done() && !posted.has_lost()) return;
  const std::uint64_t so_far = posted.generation();
  waiter_->until({.call = "quiet", .on_network = true}, [&] {
    const std::scoped_lock turn(turn_);
    return posted.is_complete(so_far);
  });
  note(lane, posted.take_loss());
}

// Does not wait unless something could be overtaken.
void RemoteAccess::order(Lane& lane) {
  const auto has_unordered = [this] {
    const std::scoped_lock turn(turn_);
    return wire_->has_unordered();
  };
  if (has_unordered()) drain(lane);
}

// Messages reach a node in order, but network writes may overtake them. So a fence waits for
// earlier network puts and only marks earlier messages. The next network put waits for those.
void RemoteAccess::fence(Lane& lane) {
  order(lane);
  const std::scoped_lock turn(turn_);
  lane.posted().set_fence_mark(wire_->accepted());
}

bool RemoteAccess::keeps_fence(Lane& lane, Rank to, NoRoom no_room) {
  const auto is_kept = [&] {
    const auto turn = take_turn(no_room);
    if (!turn) return false;
    const std::uint64_t mark = lane.posted().fence_mark();
    return mark == 0 || wire_->has_executed(to, mark);
  };
  if (no_room == NoRoom::refuse) {
    if (is_kept()) return true;
    progress();
    return false;
  }
  waiter_->until({.call = "put", .peer = index(to), .on_network = true, .ends_with_node = true},
                 is_kept);
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
  return messages_.remote()->is_all_sent() && wire_->departed();
}

bool RemoteAccess::progress() {
  const std::unique_lock turn(turn_, std::try_to_lock);
  return turn && move_on();
}

// A thread that does not get the turn also sleeps, because the thread with the turn polls.
void RemoteAccess::sleep(std::chrono::microseconds limit) {
  {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (turn && !wire_->may_sleep()) return;
  }
  wire_->sleep(limit);
}

bool RemoteAccess::move_on() {
  const bool moved = wire_->progress();
  messages_.remote()->move_on();
  if (needs_calls() && is_departed()) {
    has_untold_.store(false, std::memory_order_relaxed);
    if (!wire_->has_unordered()) set_needs_calls(false);
  }
  tell_losses();
  return moved;
}

void RemoteAccess::tell_losses() {
  while (told_ < wire_->losses().size()) tell_lost(Error(wire_->losses()[told_++]));
}

}  // namespace gondwana
