// A transport moves bytes to ranks that loads and stores do not reach. The concept says what the
// engine may expect of it.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "core/result.hpp"
#include "core/types.hpp"
#include "network/posted.hpp"
#include "operations/accumulate.hpp"
#include "operations/atomic_op.hpp"
#include "operations/strided_run.hpp"

namespace gondwana {

// What a transport supports. The engine builds the rest from it, or refuses.
struct Limits {
  std::size_t largest_message = 0;  // bytes of one put or get
  bool single_store = false;        // a put of 1, 2, 4, 8 aligned bytes is one store at the target
  bool atomics = false;             // executes AtomicRequest, coherent with CPU atomics there
  std::size_t copies_up_to = 0;     // a put up to this size is copied: its source is free at once
  std::size_t packs_up_to = 0;      // bytes of one put_packed() or get_packed(); 0: unsupported
  std::size_t accumulates_up_to = 0;  // bytes of one accumulate(); 0: unsupported
  std::size_t longest_message = 0;    // bytes of one message to a rank; 0: none
};

// Counts operations in flight. The poster begins them; the transport finishes them inside
// progress(), in any thread. Must not be destroyed before it is done.
class Completion {
 public:
  void begin() { under_way_.fetch_add(1, std::memory_order_relaxed); }
  void finish() {
    const std::uint64_t before = under_way_.fetch_sub(1, std::memory_order_release);
    GONDWANA_ASSERT(before > 0, before);  // release pairs with done()
  }
  bool done() const { return under_way_.load(std::memory_order_acquire) == 0; }

 private:
  std::atomic<std::uint64_t> under_way_{0};
};

// at_once: the message leaves without delay. may_wait: it may wait for further ones to the same
// rank, until this rank progresses or has made no call for a while. optional: it leaves without
// delay, but departed() does not count it, and that it does not arrive is no loss: its receiver may
// have ended, since it needs nothing more.
enum class Departure : std::uint8_t { at_once, may_wait, optional };

// Receives the messages to a rank. It may post operations and messages, but must not progress. The
// bytes are gone when it returns.
using MessageReceiver = std::function<void(Rank from, Bytes messages)>;

// A transport belongs to one rank, whose threads take turns to call it. An accepted operation calls
// done.begin() at once and done.finish() when it is complete. A put is complete when its bytes are
// visible at the target; a get or an atomic operation when the result is here. Buffers stay valid
// until then. An Error is final. An atomic operation writes the old value to `result`, as many
// bytes as its type has, unless that is null.
// clang-format off
template <typename T>
concept Transport = requires(T transport, Remote remote, Bytes source, MutableBytes target,
                             const AtomicRequest& request, std::byte* result,
                             Completion& done, std::span<const StridedRun> pieces, const Accumulation& what, Rank to, Bytes head, Bytes body,
                             Departure departure, MessageReceiver receiver, std::chrono::microseconds limit, std::uint64_t mark) {
  { transport.name() } -> std::convertible_to<std::string_view>;
  { transport.limits() } -> std::convertible_to<Limits>;
  { transport.put(remote, source, done) } -> std::same_as<Result<Posted>>;
  { transport.get(target, remote, done) } -> std::same_as<Result<Posted>>;
  // A put of pieces, and a get. The source of a put is free when it is accepted. A get sees earlier
  // puts to that place, except puts that has_unordered() reports, and may see later ones. A piece
  // that is a word is one store, as in a put. At most `most_runs`, none of them empty.
  { transport.put_packed(to, pieces, done) } -> std::same_as<Result<Posted>>;
  { transport.get_packed(to, pieces, done) } -> std::same_as<Result<Posted>>;
  // Adds pieces, of whole elements, to the memory of the target; all else as in a put of pieces. No
  // other accumulate adds to an element meanwhile.
  { transport.accumulate(to, what, pieces, done) } -> std::same_as<Result<Posted>>;
  { transport.atomic(remote, request, result, done) } -> std::same_as<Result<Posted>>;
  // Whether a put is in flight that later operations to the same rank might overtake.
  { transport.has_unordered() } -> std::same_as<bool>;
  // The number of operations accepted so far: a mark in their order.
  { transport.accepted() } -> std::same_as<std::uint64_t>;
  // Whether the target has executed the operations before the mark that a later put of more than
  // Limits::copies_up_to bytes could overtake.
  { transport.has_executed(to, mark) } -> std::same_as<bool>;
  // A message to the rank itself. Head and body follow each other and are free when it is accepted.
  // It arrives once, after earlier messages of this rank to that one.
  { transport.send_message(to, head, body, departure) } -> std::same_as<Result<Posted>>;
  // Called for each message within progress(). Messages that come earlier are kept for it.
  { transport.listen(receiver) } -> std::same_as<void>;
  // Progresses; true if anything happened.
  { transport.progress() } -> std::same_as<bool>;
  // Whether accepted messages arrive even if this rank does not call for a long time.
  { transport.departed() } -> std::same_as<bool>;
  // Whether an arrival would end a sleep that begins now.
  { transport.may_sleep() } -> std::same_as<bool>;
  // Returns when something may have come, or after `limit`. Called without a turn, by any thread.
  { transport.sleep(limit) } -> std::same_as<void>;
  // The loss of a peer, in words; null if there is none. Operations to that peer never complete.
  { transport.lost() } -> std::same_as<const Error*>;
};
// clang-format on

}  // namespace gondwana
