// A transport moves bytes to ranks that loads and stores do not reach. This is the interface that
// the engine uses.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "core/completion.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "memory/remote_heap.hpp"
#include "network/posted.hpp"
#include "operations/accumulate.hpp"
#include "operations/atomic_op.hpp"
#include "operations/strided_run.hpp"

namespace gondwana {

// The capabilities of a transport. The engine builds everything else from them, or reports an
// error.
struct Limits {
  std::size_t messages_up_to = 0;  // largest put() or get() in bytes that makes sense; at least 8
  std::size_t max_write = 0;       // bytes of one write() or read()
  std::size_t packs_up_to = 0;     // bytes of one put_packed() or get_packed(); 0: unsupported
  std::size_t accumulates_up_to = 0;  // bytes of one accumulate()
  std::size_t longest_message = 0;    // bytes of one message to a rank
  std::size_t passes_up_to = 0;       // bytes of one pass(); 0: unsupported
};

// Copies between device memory and the arena of its rank.
enum class Pass : std::uint8_t { to_device, to_arena };

// at_once: the message leaves without delay. may_wait: it may wait for further messages to the same
// rank, until this rank makes progress or has made no call for a while. optional: it leaves without
// delay, but departed() does not count it. If it does not arrive, that is no loss: its receiver may
// have ended, because it needs nothing more.
enum class Departure : std::uint8_t { at_once, may_wait, optional };

// Receives the messages to a rank. It may post operations and messages, but must not make progress.
// The bytes are invalid when it returns.
using MessageReceiver = std::function<void(Rank from, Bytes messages)>;

// A transport belongs to one rank, whose threads take turns to call it. An accepted operation calls
// done.begin() at once and done.finish() when it is complete. A put or write is complete when its
// bytes are visible at the target; other operations are complete when their result is here. Buffers
// must stay valid until then. But the source of a put, packed or not, or of an accumulate may be
// reused as soon as it is accepted. An Error is final for that peer: its operations fail, and
// operations to other peers continue.
//
// The target executes puts in order. A get or an atomic operation sees earlier operations at that
// place, except those that has_unordered() reports. A put is a message and a write is not: the
// caller chooses by Limits::messages_up_to.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  virtual std::string_view name() const = 0;
  virtual Limits limits() const = 0;
  // At most Limits::messages_up_to bytes, or packs_up_to if that is more. A put of 1, 2, 4 or 8
  // aligned bytes is one store at the target.
  virtual Result<Posted> put(Remote to, Bytes source, Completion& done) = 0;
  virtual Result<Posted> get(MutableBytes target, Remote from, Completion& done) = 0;
  // The network moves the bytes in place if it can.
  virtual Result<Posted> write(Remote to, Bytes source, Completion& done) = 0;
  virtual Result<Posted> read(MutableBytes target, Remote from, Completion& done) = 0;
  // A put and a get of pieces. A piece that is a word is one store, as in put(). At most
  // `max_runs` runs, none of them empty.
  virtual Result<Posted> put_packed(Space to, std::span<const StridedRun> pieces,
                                    Completion& done) = 0;
  virtual Result<Posted> get_packed(Space from, std::span<const StridedRun> pieces,
                                    Completion& done) = 0;
  // Adds pieces of whole elements to the target's memory, like a put of pieces. No other accumulate
  // adds to an element at the same time.
  virtual Result<Posted> accumulate(Space to, const Accumulation& what,
                                    std::span<const StridedRun> pieces, Completion& done) = 0;
  // Copies pieces of a space other than the arena to the arena of the same rank, or back. They are
  // contiguous in the arena, starting at `packed`. At most `max_runs` runs, none of them empty.
  virtual Result<Posted> pass(Space /*space*/, std::span<const StridedRun> /*pieces*/,
                              std::uint64_t /*packed*/, Pass /*way*/, Completion& /*done*/) {
    return Error{Errc::missing, "this transport does not pass bytes through arenas"};
  }
  // Coherent with atomic instructions at the target. Unless `result` is null, the old value is
  // stored there, in the width of its type.
  virtual Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                                Completion& done) = 0;
  // Allocates `size` bytes in the remote heap of a rank, for an owner or none. The result is the
  // block's offset in the arena, or 0.
  virtual Result<Posted> allocate(Rank /*at*/, std::uint64_t /*size*/, BlockOwner /*owner*/,
                                  std::uint64_t& /*block*/, Completion& /*done*/) {
    return Error{Errc::missing, "this transport does not allocate memory"};
  }
  // Frees a block of a remote heap. The result is a RemoteHeap::Release.
  virtual Result<Posted> release(Remote /*block*/, std::uint64_t& /*result*/,
                                 Completion& /*done*/) {
    return Error{Errc::missing, "this transport does not free memory"};
  }
  // Whether a write is in flight that later operations to the same rank might overtake.
  virtual bool has_unordered() const = 0;
  // Between the calls with true and false, operations gather until a message is full or this rank
  // waits. Pairs may be nested.
  virtual void gather(bool /*begins*/) {}
  // The number of changes of the roster (DeathList) that the calls of this rank heed. Earlier
  // operations and messages are for processes that had not died before them, and later ones for
  // those that live after them.
  virtual void heed(std::uint32_t /*changes*/) {}
  // The number of operations accepted so far. It marks a point in their order.
  virtual std::uint64_t accepted() const = 0;
  // Whether the target has executed the operations before the mark that a later write could
  // overtake.
  virtual bool has_executed(Rank at, std::uint64_t mark) = 0;
  // A message to a rank. Head and body form one message, and may be reused when it is accepted. It
  // arrives once, after earlier messages of this rank to that one.
  virtual Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure) = 0;
  // Called for each message within progress(). Earlier messages are kept for it.
  virtual void listen(MessageReceiver receiver) = 0;
  // Makes progress. True if anything happened.
  virtual bool progress() = 0;
  // Whether accepted messages arrive even if this rank makes no calls for long.
  virtual bool departed() const = 0;
  // Whether an arrival would end a sleep that begins now.
  virtual bool may_sleep() = 0;
  // Returns when data may have arrived, or after `limit`. Called without a turn, by any thread.
  virtual void sleep(std::chrono::microseconds limit) = 0;
  // Why the peer is lost; null while it is alive.
  virtual const Error* lost(Rank peer) const = 0;
  // All losses so far, in order. Each concerns the ranks of a node, or all other ranks.
  virtual std::span<const Error> losses() const = 0;
};

// The engine's reference to a transport, which may outlive the engine. An empty one reaches no
// rank.
class Wire {
 public:
  Wire() = default;
  explicit Wire(std::shared_ptr<Transport> transport)
      : transport_(std::move(transport)), limits_(transport_->limits()) {}

  explicit operator bool() const { return transport_ != nullptr; }
  Transport* operator->() const { return transport_.get(); }
  const Limits& limits() const { return limits_; }

 private:
  std::shared_ptr<Transport> transport_;
  Limits limits_;
};

}  // namespace gondwana
