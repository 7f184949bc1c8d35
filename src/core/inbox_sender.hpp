// The sending side of an inbox lane: reserve a place, fill it, publish it or give it up.
//
// Nothing here waits. Between reserve() and publish() the place concerns its owner alone, however
// long that takes. Any number of threads of the sending rank may send at once.
#pragma once

#include "core/inbox_lane.hpp"

namespace gondwana {

enum class Payload : std::uint8_t { none, block };

// What reserve() took: the caller's to fill until it publishes or cancels it.
struct Reservation {
  static constexpr std::uint32_t no_block = ~std::uint32_t{0};

  std::uint32_t slot;
  std::uint32_t block;  // for the payload, or no_block
};

template <ExchangingAtomics A, InboxLane<A> Lane>
class InboxSender {
 public:
  InboxSender(Lane lane, std::uint32_t me) : lane_(lane), me_(me) {}

  // Nothing if there is no room just now; then nothing was changed.
  std::optional<Reservation> reserve(Payload payload) {
    auto& channel = lane_.channel(me_);
    const auto slot = channel.slot_credit.take(channel.slot_count, Take::next);
    if (!slot) return std::nullopt;
    if (payload == Payload::none) return Reservation{*slot, Reservation::no_block};
    const auto block = channel.block_credit.take(lane_.blocks(), Take::lowest);
    if (block) return Reservation{*slot, *block};
    channel.slot_credit.give_back(1U << *slot);
    return std::nullopt;
  }

  // What a sleep for room waits for: reserve() is worth another try.
  bool has_room(Payload payload) {
    auto& channel = lane_.channel(me_);
    return !channel.slot_credit.all_in_use(channel.slot_count) &&
           (payload == Payload::none || !channel.block_credit.all_in_use(lane_.blocks()));
  }

  auto& message(Reservation at) { return lane_.channel(me_).slots[at.slot].message; }

  // The message, and what was written into its block, may be handled from now on.
  void publish(Reservation at) {
    auto& stamp = lane_.channel(me_).slots[at.slot].stamp;
    const std::uint32_t flipped = ~stamp.load(std::memory_order_relaxed) & 1;
    const std::uint32_t next = (at.block + 1) << 1 | flipped;
    stamp.store(next, std::memory_order_release);  // pairs with InboxConsumer::is_ready()
    const std::uint32_t news = next << 8 | (at.slot + 1);
    lane_.news(me_).store(news, std::memory_order_release);  // pairs with find_news()
    lane_.bell().ring_if_asleep();
  }

  void cancel(Reservation at) {
    auto& channel = lane_.channel(me_);
    if (at.block != Reservation::no_block) channel.block_credit.give_back(1U << at.block);
    channel.slot_credit.give_back(1U << at.slot);
    lane_.sender_bell(me_).ring_if_asleep();  // another thread of this rank may wait for room
  }

 private:
  Lane lane_;
  std::uint32_t me_;
};

}  // namespace gondwana
