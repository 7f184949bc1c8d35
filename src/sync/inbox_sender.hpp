// The sending side of an inbox lane: reserve a place, fill it, publish it or give it up.
//
// Nothing here waits. Between reserve() and publish() the place concerns its owner alone, for any
// time. Any number of threads of the sending rank may send at once, or one thread with a credit
// cache.
#pragma once

#include "sync/inbox_queue.hpp"

namespace gondwana {

enum class Payload : std::uint8_t { none, block };

// The result of reserve(): the caller fills it until it publishes or cancels it.
struct Reservation {
  static constexpr std::uint32_t no_block = ~std::uint32_t{0};

  std::uint32_t slot;
  std::uint32_t block;  // for the payload, or no_block
};

// The state of a channel in a rank whose threads take turns: credit taken in advance, so that most
// messages need no locked instruction, and the order of its messages. While it publishes them in
// slot order, the receiver finds them without news.
struct CreditCache {
  std::uint32_t slots = 0;     // a bit each: taken, not reserved
  std::uint32_t next = 0;      // next to reserve
  std::uint32_t expected = 0;  // next to publish
  bool in_order = true;        // so far

  // The receiver, too, starts at this slot for each sender.
  static constexpr std::uint32_t first(std::uint32_t sender, std::uint32_t slots) {
    return sender % slots;  // spreads channels over the sets of a cache
  }
  static CreditCache of(std::uint32_t sender, std::uint32_t slots) {
    return {.next = first(sender, slots), .expected = first(sender, slots)};
  }
};

template <ExchangingAtomics A, InboxQueue<A> Lane>
class InboxSender {
 public:
  // `lane` outlives this object. `credit_cache`: of this channel, for one thread at a time; null if
  // threads send at once.
  InboxSender(const Lane& lane, std::uint32_t me, CreditCache* credit_cache = nullptr)
      : lane_(lane), me_(me), credit_cache_(credit_cache) {}

  // Returns nothing, and changes nothing, if there is no space now.
  [[gnu::always_inline]] std::optional<Reservation> reserve(Payload payload) {
    if (payload == Payload::none) {
      const auto slot = take_slot();
      return slot ? std::optional(Reservation{*slot, Reservation::no_block}) : std::nullopt;
    }
    auto& blocks = lane_.channel(me_).block_credit;
    const auto block = blocks.take(lane_.blocks(), Take::lowest);
    if (!block) return std::nullopt;
    const auto slot = take_slot();
    if (slot) return Reservation{*slot, *block};
    blocks.give_back(1U << *block);
    return std::nullopt;
  }

  // The condition of a sleep for space: reserve() is worth another try.
  bool has_room(Payload payload) {
    auto& channel = lane_.channel(me_);
    return ((credit_cache_ != nullptr && credit_cache_->slots != 0) ||
            !channel.slot_credit.all_in_use(channel.slot_count)) &&
           (payload == Payload::none || !channel.block_credit.all_in_use(lane_.blocks()));
  }

  auto& message(Reservation at) { return lane_.channel(me_).slots[at.slot].message; }

  // The message and its block may be handled from now on.
  [[gnu::always_inline]] void publish(Reservation at) {
    auto& stamp = lane_.channel(me_).slots[at.slot].stamp;
    const std::uint32_t flipped = ~stamp.load(std::memory_order_relaxed) & 1;
    const std::uint32_t next = (at.block + 1) << 1 | flipped;
    stamp.store(next, std::memory_order_release);  // pairs with InboxConsumer::is_ready()
    if (!is_expected(at.slot)) {
      const std::uint32_t news = next << 8 | (at.slot + 1);
      lane_.news(me_).store(news, std::memory_order_release);  // pairs with find_news()
    }
    lane_.bell().ring_if_asleep();
  }

  void cancel(Reservation at) {
    auto& channel = lane_.channel(me_);
    if (at.block != Reservation::no_block) channel.block_credit.give_back(1U << at.block);
    give_slot_back(at.slot);
    lane_.sender_bell(me_).ring_if_asleep();  // another thread of this rank may wait for space
  }

 private:
  std::uint32_t after(std::uint32_t slot) const {
    return slot + 1 < lane_.channel(me_).slot_count ? slot + 1 : 0;
  }

  [[gnu::always_inline]] std::optional<std::uint32_t> take_slot() {
    auto& channel = lane_.channel(me_);
    if (credit_cache_ == nullptr) return channel.slot_credit.take(channel.slot_count, Take::next);
    if ((credit_cache_->slots >> credit_cache_->next & 1) == 0)
      credit_cache_->slots |= channel.slot_credit.take_all(channel.slot_count);
    if (credit_cache_->slots == 0) return std::nullopt;
    const std::uint32_t slot = InboxCredit<A>::choose(credit_cache_->slots, credit_cache_->next);
    credit_cache_->slots &= ~(1U << slot);
    credit_cache_->next = after(slot);
    return slot;
  }

  void give_slot_back(std::uint32_t slot) {
    if (credit_cache_ == nullptr) return lane_.channel(me_).slot_credit.give_back(1U << slot);
    credit_cache_->slots |= 1U << slot;
    if (after(slot) == credit_cache_->next)
      credit_cache_->next = slot;
    else
      credit_cache_->in_order = false;  // later ones are open
  }

  // The receiver checks this slot next, without news.
  [[gnu::always_inline]] bool is_expected(std::uint32_t slot) {
    if (credit_cache_ == nullptr) return false;
    credit_cache_->in_order = credit_cache_->in_order && slot == credit_cache_->expected;
    credit_cache_->expected = after(slot);
    return credit_cache_->in_order && lane_.senders() <= Lane::max_watched;
  }

  const Lane& lane_;
  std::uint32_t me_;
  CreditCache* credit_cache_;
};

}  // namespace gondwana
