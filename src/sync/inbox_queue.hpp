// The shared memory of an inbox: one lane per receiver and class of messages, with one channel for
// each sender. All zero is the valid initial state, and there are no pointers.
#pragma once

#include <array>

#include "sync/doorbell.hpp"
#include "sync/inbox_credit.hpp"

namespace gondwana {

// The place of a message. Its sender owns it from reserve() to publish() or cancel(), the receiver
// from then until the credit returns.
//
// Bit 0 of the stamp flips with every message. The slot holds an unclaimed message while the bit
// differs from the receiver's (InboxQueue::claimed). The bits above are 1 + the payload block of
// the message, or 0. Only senders write the stamp.
template <ExchangingAtomics A, typename Message>
struct alignas(2 * cache_line) InboxSlot {
  typename A::Word stamp;
  Message message;
};

// From one sender to one receiver. The credits share a line: most messages with a payload need
// both.
template <ExchangingAtomics A, typename Message, std::uint32_t Places>
struct InboxChannel {
  static_assert(Places <= InboxCredit<A>::max_places);
  static constexpr std::uint32_t slot_count = Places;

  alignas(2 * cache_line) InboxCredit<A> slot_credit;
  InboxCredit<A> block_credit;
  std::array<InboxSlot<A, Message>, Places> slots;
};

// Its holder may claim messages of the lane and run their handlers. There is no other way, and no
// thread waits for it.
template <ExchangingAtomics A>
struct InboxLock {
  alignas(2 * cache_line) typename A::Word held;

  bool try_acquire() {
    std::uint32_t free = 0;
    return held.load(std::memory_order_relaxed) == 0 &&
           held.compare_exchange_strong(free, 1, std::memory_order_acquire,  // pairs with release()
                                        std::memory_order_relaxed);
  }
  void release() { held.store(0, std::memory_order_release); }  // pairs with try_acquire()
};

// A lane as senders and consumers see it: a small value that owns nothing.
template <typename L, typename A>
concept InboxQueue = ExchangingAtomics<A> && requires(L lane, std::uint32_t sender) {
  { lane.senders() } -> std::convertible_to<std::uint32_t>;
  // With more senders the receiver uses news alone: they are closer together.
  { L::max_watched } -> std::convertible_to<std::uint32_t>;
  { lane.blocks() } -> std::convertible_to<std::uint32_t>;  // of each channel, 1 to 16
  lane.channel(sender);                                     // an InboxChannel<A, ...>&
  // Each sender's word, which changes when it publishes. A hint, written by the sender only.
  { lane.news(sender) } -> std::same_as<typename A::Word&>;
  // For each sender. Low half: a bit per slot, bit 0 of the stamp claimed last. High half: a bit
  // per handled slot with unreturned credit. Written under the lock only.
  { lane.claimed(sender) } -> std::same_as<typename A::Word&>;
  { lane.lock() } -> std::same_as<InboxLock<A>&>;
  { lane.bell() } -> std::same_as<Doorbell<A>&>;               // of the receiver
  { lane.sender_bell(sender) } -> std::same_as<Doorbell<A>&>;  // rung when there is space again
};

}  // namespace gondwana
