// What moves bytes to ranks that loads and stores do not reach, and what the engine may expect of
// it.
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
#include "operations/atomic_op.hpp"
#include "operations/strided_run.hpp"

namespace gondwana {

// What a transport can do by itself. What it cannot, the engine builds from the rest or refuses.
struct Limits {
  std::size_t largest_message = 0;  // bytes of one put or get
  bool single_store = false;        // a put of 1, 2, 4, 8 aligned bytes is one store at the target
  bool atomics = false;             // executes AtomicRequest, coherent with CPU atomics there
  std::size_t copies_up_to = 0;     // a put of so many bytes is copied: its source is free at once
  std::size_t packs_up_to = 0;      // bytes of one put_packed() or get_packed(); 0: it does neither
  std::size_t longest_message = 0;  // bytes of one message to a rank; 0: none
};

// Counts operations under way. Begun by who posts, finished by the transport inside progress(), of
// whichever thread. Must not be destroyed before it is done.
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

// Who receives the messages to a rank. It may post operations and messages, but progress nothing;
// the bytes are gone when it returns.
using MessageReceiver = std::function<void(Rank from, Bytes messages)>;

// A transport belongs to one rank, whose threads take turns to call it. An accepted operation calls
// done.begin() at once and done.finish() when it is complete: for a put when the bytes are visible
// at the target, for a get and an atomic when the result is here. Buffers stay valid until then. An
// Error is final. An atomic operation writes the value from before, as many bytes as its type has,
// to `result`, unless that is null.
// clang-format off
template <typename T>
concept Transport = requires(T transport, Remote remote, Bytes source, MutableBytes target,
                             const AtomicRequest& request, std::byte* result,
                             Completion& done, std::span<const StridedRun> pieces, Rank to, Bytes head, Bytes body,
                             MessageReceiver receiver, std::chrono::microseconds limit, std::uint64_t mark) {
  { transport.name() } -> std::convertible_to<std::string_view>;
  { transport.limits() } -> std::convertible_to<Limits>;
  { transport.put(remote, source, done) } -> std::same_as<Result<Posted>>;
  { transport.get(target, remote, done) } -> std::same_as<Result<Posted>>;
  // A put of pieces, and a get. The source of a put is free when it is accepted; a get sees what
  // was put there before it, of which has_unordered() says nothing, and may see what is put later.
  // A piece that is a word is one store, as in a put. At most `most_runs`, none of them empty.
  { transport.put_packed(to, pieces, done) } -> std::same_as<Result<Posted>>;
  { transport.get_packed(to, pieces, done) } -> std::same_as<Result<Posted>>;
  { transport.atomic(remote, request, result, done) } -> std::same_as<Result<Posted>>;
  // Whether a put is under way that later operations, to the same rank, might overtake.
  { transport.has_unordered() } -> std::same_as<bool>;
  // The number of operations accepted so far: a mark in their order.
  { transport.accepted() } -> std::same_as<std::uint64_t>;
  // Whether the target has executed each operation for it, from before the mark, that a later put
  // of more than Limits::copies_up_to bytes could overtake.
  { transport.has_executed(to, mark) } -> std::same_as<bool>;
  // A message to the rank itself: head and body, one behind the other, are free when it is accepted.
  // It arrives once, behind those that were sent to this rank before.
  { transport.send_message(to, head, body) } -> std::same_as<Result<Posted>>;
  // Called for each message from within progress(); those that come before are kept for it.
  { transport.listen(receiver) } -> std::same_as<void>;
  // Moves things on; true if anything happened.
  { transport.progress() } -> std::same_as<bool>;
  // Whether messages that were accepted arrive even if this rank does not call for a long time.
  { transport.departed() } -> std::same_as<bool>;
  // Returns when something may have come, or after `limit`; at once where it cannot tell.
  { transport.sleep(limit) } -> std::same_as<void>;
  // A peer that is gone, in words; null while there is none. Operations to it never end.
  { transport.lost() } -> std::same_as<const Error*>;
};
// clang-format on

}  // namespace gondwana
