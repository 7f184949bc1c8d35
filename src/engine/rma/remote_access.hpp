// One-sided access to memory of ranks that loads and stores do not reach: it splits, copies, waits
// for room and completes. Nothing here is hot on a node.
//
// Calls return false or nothing where they failed; the lane then holds the error. Operations are
// counted in the lane, but for the two at the end, which serve the engine's own words.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/function_ref.hpp"
#include "engine/am/messages.hpp"
#include "engine/arguments.hpp"
#include "engine/rma/lane.hpp"
#include "engine/wait/waiter.hpp"
#include "remote/wire.hpp"

namespace gondwana {

// What takes the operations of this rank to other nodes. Threads take turns. Recursive: a thread
// that waits for a completion progresses while it holds the wire.
struct GuardedWire {
  Wire wire;
  std::recursive_mutex turn{};
};

class RemoteAccess final : public NetworkProgress {
 public:
  // Whether a call may wait for room.
  enum class NoRoom : std::uint8_t { wait, refuse };
  // Busy where a call that may not wait found no room: nothing has happened. Nothing where it
  // failed.
  using Begun = std::optional<Posted>;
  // Told of a lost peer, by whichever call finds it. It must not return, for what waits for that
  // peer would wait for ever. May be empty.
  using OnLost = std::function<void(const Error&)>;

  RemoteAccess(GuardedWire& guarded, Messages& messages, OnLost on_lost)
      : wire_(guarded.wire), turn_(guarded.turn), messages_(messages), lost_(std::move(on_lost)) {}
  // Before anything is called that waits.
  void wait_by(Waiter& waiter) { waiter_ = &waiter; }

  // The source of a put is free when it returns, and a get has its data, unless the buffer is kept.
  bool put(Lane& lane, Remote to, Bytes source, Buffer buffer = Buffer::free_at_return);
  bool get(Lane& lane, MutableBytes dest, Remote from, Buffer buffer = Buffer::free_at_return);
  // The value from before.
  std::optional<std::uint64_t> request(Lane& lane, Remote at, const AtomicRequest& request,
                                       CallName call);
  // The same for a caller that does not wait for the value: it is in `old` after drain(). Null: it
  // is dropped.
  bool begin_request(Lane& lane, Remote at, const AtomicRequest& request, std::byte* old);
  // The data, of which a signal is to follow.
  bool put_before_signal(Lane& lane, Remote to, Bytes source);
  // Many pieces. They travel together where the wire packs them.
  bool packs(std::size_t piece) const {
    return piece <= largest_packed && 2 * piece <= wire_.limits().packs_up_to;
  }
  bool put_packed(Lane& lane, Rank to, const StridedRun& pieces);
  bool get_packed(Lane& lane, Rank from, const StridedRun& pieces);

  // In flight when they return. The buffer is kept until `done` is done, which must be waited for
  // even where one of these failed, perhaps after a part of it.
  Begun begin_put(Lane& lane, Remote to, Bytes source, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  Begun begin_get(Lane& lane, MutableBytes dest, Remote from, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  Begun begin_request(Lane& lane, Remote at, const AtomicRequest& request, std::byte* old,
                      Completion& done, NoRoom no_room = NoRoom::wait);
  Begun begin_put(Lane& lane, Rank to, std::span<const StridedRun> pieces, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  Begun begin_get(Lane& lane, Rank from, std::span<const StridedRun> pieces, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  void complete(Completion& done, CallName call);
  // Whether the source of a put of this size is free as soon as that is in flight.
  bool copies_put_of(std::size_t size) const { return size <= wire_.limits().copies_up_to; }

  // All that was posted through the lane is complete.
  void drain(Lane& lane);
  // What was posted before is not overtaken by what comes later.
  void order(Lane& lane);
  // Puts of this lane to each target before the fence are visible before those after it.
  void fence(Lane& lane);

  // Writes words of a rank without waiting; the bytes may be reused at once.
  void send_update(Rank to, const Update& update);
  // Whether all updates arrive even if this rank makes no further call. If not, it moves them on.
  bool has_told() {
    if (!has_untold_.load(std::memory_order_relaxed)) [[likely]]
      return true;
    progress();
    return !has_untold_.load(std::memory_order_relaxed);
  }
  // Returns when messages of this rank arrive whether it calls again or not.
  void depart(CallName call);
  // The wire for this thread, so that what it sends next waits for no other thread; none where one
  // has it.
  std::unique_lock<std::recursive_mutex> try_take_turn() { return {turn_, std::try_to_lock}; }

  bool progress() override;
  void sleep(std::chrono::microseconds limit) override { wire_.sleep(limit); }
  void tell_lost(const Error& loss) const {
    if (lost_) lost_(loss);
  }

  // Words of the engine.
  bool get_uncounted(Lane& lane, MutableBytes dest, Remote from,
                     Buffer buffer = Buffer::free_at_return);
  bool begin_uncounted(Lane& lane, Remote at, const AtomicRequest& request);

 private:
  static constexpr std::size_t largest_packed = 4096;  // bytes of a piece: larger ones go alone

  bool has_atomics(Lane& lane);
  bool is_torn(Remote to, std::size_t size) const;
  bool put_in_turn(Lane& lane, Remote to, Bytes source, Buffer buffer);
  bool put_copied(Lane& lane, Remote to, Bytes source);
  bool goes_behind_puts(Lane& lane, std::size_t size);
  std::optional<std::uint64_t> request_in_turn(Lane& lane, Remote at, const AtomicRequest& request,
                                               CallName call);
  bool store(Lane& lane, Remote to, Bytes word);
  bool store_short(Lane& lane, Remote to, Bytes value);
  std::vector<StridedRun> packed_of(std::span<const StridedRun> pieces) const;
  // The turn of this thread; none where it may not wait for it.
  std::unique_lock<std::recursive_mutex> take_turn(NoRoom no_room);
  // All or nothing: once the first has room the others wait for it.
  Begun post_parts(Lane& lane, Remote to, Bytes source, Completion& done, NoRoom no_room);
  Begun post_parts(Lane& lane, MutableBytes dest, Remote from, Completion& done, NoRoom no_room);
  Begun post(Lane& lane, NoRoom no_room, FunctionRef<Result<Posted>()> attempt);
  bool post(Lane& lane, FunctionRef<Result<Posted>()> attempt) {
    return post(lane, NoRoom::wait, attempt).has_value();
  }
  // Whether a put of this size may be posted; waits until it may, or refuses to.
  bool keeps_fence(Lane& lane, Remote to, std::size_t size, NoRoom no_room);
  // By the thread whose turn it is.
  bool move_on();
  bool is_departed();

  Wire& wire_;
  std::recursive_mutex& turn_;
  Messages& messages_;
  OnLost lost_;
  Waiter* waiter_ = nullptr;
  std::atomic<bool> has_untold_{false};  // updates were posted that may need further calls
};

}  // namespace gondwana
