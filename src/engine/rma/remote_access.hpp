// One-sided access to memory that loads and stores do not reach: splits, copies, waits for queue
// space and completes. It is not on the fast path within a node.
//
// Calls return false or nothing if they fail; the lane then holds the error. The lane counts all
// operations except begin_pass() and the last four, which serve the engine's own words. The class
// mirrors the list of operations, most of which can also be started without waiting.
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
#include "remote/transport.hpp"

namespace gondwana {

// Sends the operations of this rank to other nodes. Threads take turns, each for one operation or
// one poll; no thread waits for the network while it has the turn. The mutex is recursive because
// receivers may post within a poll.
struct GuardedWire {
  Wire wire;
  std::recursive_mutex turn{};
};

class RemoteAccess final : public NetworkProgress {
 public:
  // What a call does if the queue is full. try_once: it returns, and makes no progress either.
  enum class NoRoom : std::uint8_t { wait, refuse, try_once };
  // Refused: the queue was full for a call that may not wait, which had no effect. Failed: the lane
  // holds the error.
  enum class Begun : std::uint8_t { pending, refused, failed };
  // Informs a door of lost peers, perhaps repeatedly. The door decides how to react. If it returns,
  // operations to those peers fail, and operations to others continue. A wait for words of this
  // rank's memory also continues, because live peers may store them too. May be empty.
  using OnLost = std::function<void(const Error&)>;

  RemoteAccess(GuardedWire& guarded, Messages& messages, OnLost on_lost)
      : wire_(guarded.wire), turn_(guarded.turn), messages_(messages), lost_(std::move(on_lost)) {}
  // Must be called before any call that waits.
  void wait_by(Waiter& waiter) { waiter_ = &waiter; }

  // On return, a put's source may be reused and a get's data is present, unless the buffer is kept.
  bool put(Lane& lane, Remote to, Bytes source, Buffer buffer = Buffer::free_at_return);
  bool get(Lane& lane, MutableBytes dest, Remote from, Buffer buffer = Buffer::free_at_return);
  // Returns the previous value.
  std::optional<std::uint64_t> request(Lane& lane, Remote at, const AtomicRequest& request,
                                       CallName call);
  // For a caller that does not wait for the previous value, which is in `old` after drain(). If
  // `old` is null, the value is dropped.
  bool begin_request(Lane& lane, Remote at, const AtomicRequest& request, std::byte* old);
  // Blocks of the remote heap of a rank, see Transport.
  std::optional<std::uint64_t> allocate(Lane& lane, Rank at, std::size_t size, BlockOwner owner);
  std::optional<std::uint64_t> release(Lane& lane, Remote block);
  // Puts the data that precedes a signal.
  bool put_before_signal(Lane& lane, Remote to, Bytes source);
  // Strided pieces. They are sent together if the wire packs them.
  bool packs(std::size_t piece) const {
    return piece <= largest_packed && 2 * piece <= wire_.limits().packs_up_to;
  }
  bool put_packed(Lane& lane, Space to, const StridedRun& pieces);
  bool get_packed(Lane& lane, Space from, const StridedRun& pieces);

  // In flight on return. The buffer is in use until `done` completes. The caller must wait for
  // `done` even after a failure, which may follow a partial transfer.
  Begun begin_put(Lane& lane, Remote to, Bytes source, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  Begun begin_get(Lane& lane, MutableBytes dest, Remote from, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  Begun begin_request(Lane& lane, Remote at, const AtomicRequest& request, std::byte* old,
                      Completion& done, NoRoom no_room = NoRoom::wait);
  Begun begin_put(Lane& lane, Space to, std::span<const StridedRun> pieces, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  Begun begin_get(Lane& lane, Space from, std::span<const StridedRun> pieces, Completion& done,
                  NoRoom no_room = NoRoom::wait);
  // Copies pieces at the remote side between a device and the arena of the rank. Not counted.
  Begun begin_pass(Lane& lane, Space space, const StridedRun& pieces, std::uint64_t packed,
                   Pass way, Completion& done);
  // Adds pieces of whole elements. Their sources may be reused on return.
  Begun begin_accumulate(Lane& lane, Space to, const Accumulation& what,
                         std::span<const StridedRun> pieces, Completion& done);
  // False: an operation failed because its peer is lost. The lane holds the error.
  bool complete(Lane& lane, Completion& done, CallName call);
  // Waits until done(), with network progress.
  void until(CallName call, FunctionRef<bool()> done);
  const Limits& limits() const { return wire_.limits(); }
  // Whether a put or get of this size is a message. The source of that put may be reused as soon
  // as the put is in flight. The network moves larger ones directly.
  bool is_message(std::size_t size) const { return size <= wire_.limits().messages_up_to; }

  // Waits until all operations posted through the lane are complete.
  void drain(Lane& lane);
  // Later operations do not overtake earlier ones.
  void order(Lane& lane);
  // Puts of this lane to each target before the fence are visible before later ones.
  void fence(Lane& lane);
  // Between the calls with true and false, operations gather until a message is full or this rank
  // waits.
  void gather(bool begins) {
    const std::scoped_lock turn(turn_);
    wire_->gather(begins);
  }

  // See Transport::heed().
  void heed(std::uint32_t changes) {
    const std::scoped_lock turn(turn_);
    wire_->heed(changes);
  }

  // Writes words of a rank without waiting. The bytes may be reused at once.
  void send_update(Rank to, const Update& update);
  // Whether all updates arrive without further calls by this rank. If not, it makes progress.
  bool has_told() {
    if (!has_untold_.load(std::memory_order_relaxed)) [[likely]]
      return true;
    progress();
    return !has_untold_.load(std::memory_order_relaxed);
  }
  // Returns when messages of this rank arrive without further calls.
  void depart(CallName call);
  // Takes the wire for this thread, so that its next messages wait for no other thread. Returns no
  // lock if another thread has the wire.
  std::unique_lock<std::recursive_mutex> try_take_turn() { return {turn_, std::try_to_lock}; }

  bool progress() override;
  void sleep(std::chrono::microseconds limit) override;
  void tell_lost(const Error& loss) const;

  // For the engine's own words.
  bool get_uncounted(Lane& lane, MutableBytes dest, Remote from,
                     Buffer buffer = Buffer::free_at_return);
  // Gets from many ranks at once, so that missing connections are made in parallel. May overtake
  // earlier puts of this rank.
  struct Get {
    MutableBytes dest;
    Remote from;
  };
  bool get_all_uncounted(Lane& lane, std::span<const Get> gets);
  bool begin_uncounted(Lane& lane, Remote at, const AtomicRequest& request);
  std::optional<std::uint64_t> request_uncounted(Lane& lane, Remote at,
                                                 const AtomicRequest& request, CallName call);

 private:
  // Waits for the word that a request returns.
  std::optional<std::uint64_t> fetch_word(
      Lane& lane, CallName call,
      FunctionRef<Result<Posted>(std::uint64_t& word, Completion& done)> request);
  static constexpr std::size_t largest_packed = 4096;  // bytes; larger pieces are sent separately

  // The most bytes of one write() or read(). The network accesses arenas only.
  std::size_t max_write(Remote place) const;
  bool write(Lane& lane, Remote to, Bytes source, Buffer buffer);
  bool write_copied(Lane& lane, Remote to, Bytes source);
  Begun post_get(Lane& lane, MutableBytes dest, Remote from, Completion& done, NoRoom no_room);
  std::vector<StridedRun> packed_of(std::span<const StridedRun> pieces) const;
  // All or nothing: after the first part is accepted, the others wait for queue space.
  Begun post_parts(Lane& lane, Remote to, Bytes source, Completion& done, NoRoom no_room);
  Begun post_parts(Lane& lane, MutableBytes dest, Remote from, Completion& done, NoRoom no_room);
  Begun post(CallName call, Lane& lane, NoRoom no_room, FunctionRef<Result<Posted>()> attempt);
  bool post(CallName call, Lane& lane, FunctionRef<Result<Posted>()> attempt) {
    return post(call, lane, NoRoom::wait, attempt) == Begun::pending;
  }
  // Takes the turn. Returns no lock if another thread has it and the caller may not wait.
  std::unique_lock<std::recursive_mutex> take_turn(NoRoom no_room);
  // Whether a write may be posted. If it may not yet, waits unless the caller may not wait.
  bool keeps_fence(Lane& lane, Rank to, NoRoom no_room);
  // Returns false after a loss.
  bool note(Lane& lane, const Error* loss) const;
  // Called by the thread with the turn.
  bool move_on();
  void tell_losses();
  bool is_departed();
  bool are_lost_dead() const;

  Wire& wire_;
  std::recursive_mutex& turn_;
  Messages& messages_;
  OnLost lost_;
  Waiter* waiter_ = nullptr;
  std::size_t told_ = 0;                 // number of the wire's losses already reported
  std::atomic<bool> has_untold_{false};  // posted updates may need further calls
};

}  // namespace gondwana
