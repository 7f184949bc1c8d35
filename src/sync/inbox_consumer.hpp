// The receiving side of an inbox lane: finds messages, and runs their handlers in place.
//
// There are three ways to find a message, each slower and more certain than the previous one.
// First, the slot after the last handled one of each sender: in a ping-pong that is one cache-line
// transfer. Second, the news of each sender, a word that it writes after it has published, unless
// the message is in that slot. Third, the credits: they show which slots are in use. Threads of one
// sender that publish at once may overwrite each other's news, so only the third way finds every
// message. It runs periodically, and before a sleep. A poll misses no message of a sender with a
// credit cache.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "sync/inbox_sender.hpp"

namespace gondwana {

// The number of empty polls between two searches.
struct InboxPolling {
  std::uint32_t polls_per_search = 1024;
};

// One per polling thread. Its state contains only hints; the lane is authoritative.
template <ExchangingAtomics A, InboxQueue<A> Lane>
class InboxConsumer {
 public:
  explicit InboxConsumer(Lane lane, InboxPolling polling = {})
      : lane_(lane), polling_(polling), seen_(lane.senders()) {
    for (std::uint32_t i = 0; i < lane_.senders(); ++i)
      seen_[i].next = CreditCache::first(i, slots());
  }

  // No other thread ever polls this lane, or sleeps until its handler has run.
  void be_alone(bool alone) { alone_ = alone; }

  // Runs handle(sender, message, block) for the present messages of one sender, at most `most`.
  // `block` is Reservation::no_block if there is none. After it returns, slot and block may hold
  // another message. 0: nothing found, or another thread is polling.
  template <typename Handle>
  std::uint32_t poll(Handle&& handle, std::uint32_t most) {
    return handle_from(find(), handle, most);
  }

  // Like poll(), but slower and certain to find a message.
  template <typename Handle>
  std::uint32_t search_and_poll(Handle&& handle, std::uint32_t most) {
    return handle_from(search(), handle, most);
  }

  // An unclaimed message is present. Certain in the condition of a sleep: a heavy fence has made
  // visible what senders published without a ring.
  bool has_message() { return search().has_value(); }

  // Returns the credit of handled messages. Called while a poll finds nothing and before a sleep: a
  // sender may need just these slots.
  void settle() {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < lane_.senders(); ++i)
      kept |= lane_.claimed(i).load(std::memory_order_relaxed) >> slot_bits;
    if (kept == 0 || !lock()) return;
    for (std::uint32_t i = 0; i < lane_.senders(); ++i) give_back(i);
    unlock();
  }

  // Sleeps until a message is present or done() holds; false after a timeout.
  template <typename Done>
  bool sleep_until(Done done, Timeout timeout) {
    const auto wakes = [&] {
      settle();
      return done() || has_message();
    };
    return lane_.bell().sleep_until(wakes, timeout);
  }

 private:
  static constexpr std::uint32_t unseen = 0;  // no news has this value
  static constexpr std::uint32_t slot_bits = InboxCredit<A>::max_places;
  static constexpr std::uint32_t longest_run = 8;  // polls of one sender while others may wait

  struct Place {
    std::uint32_t sender;
    std::uint32_t slot;
  };

  struct Seen {
    std::uint32_t next = 0;       // slot after the last handled one
    std::uint32_t news = unseen;  // values that led to no message
  };

  auto& channel(std::uint32_t sender) { return lane_.channel(sender); }
  static constexpr std::uint32_t slots() {
    return std::remove_reference_t<decltype(std::declval<Lane&>().channel(0))>::slot_count;
  }

  // The message in this slot is unclaimed. The order of the tests matters: a thread that sees a
  // stamp sees that the message before it was claimed, because that happened before its slot was
  // given back.
  [[gnu::always_inline]] bool is_ready(Place at) {
    auto& slot = channel(at.sender).slots[at.slot];
    const std::uint32_t stamp = slot.stamp.load(std::memory_order_acquire);  // with publish()
    const std::uint32_t claimed = lane_.claimed(at.sender).load(std::memory_order_relaxed);
    return ((stamp ^ claimed >> at.slot) & 1) != 0;
  }

  [[gnu::always_inline]] std::optional<Place> find() {
    const std::uint32_t senders = lane_.senders();
    const bool watches = senders <= Lane::max_watched;
    std::uint32_t sender = run_ < longest_run ? current_ : after(current_, 1, senders);
    for (std::uint32_t i = 0; i < senders; ++i) {
      const Place next{sender, seen_[sender].next};
      if ((watches || i == 0) && is_ready(next)) return next;
      if (const auto place = find_news(sender)) return place;
      sender = after(sender, 1, senders);
    }
    if (++polls_ < polling_.polls_per_search) return std::nullopt;
    polls_ = 0;
    settle();
    return search();
  }

  std::optional<Place> find_news(std::uint32_t sender) {
    Seen& seen = seen_[sender];
    const std::uint32_t news =
        lane_.news(sender).load(std::memory_order_acquire);  // with publish()
    if (news == seen.news) return std::nullopt;
    for (std::uint32_t i = 0; i < slots(); ++i)
      if (const Place at{sender, after(seen.next, i, slots())}; is_ready(at)) return at;
    seen.news = news;
    return std::nullopt;
  }

  std::optional<Place> search() {
    for (std::uint32_t i = 1; i <= lane_.senders(); ++i) {
      const std::uint32_t sender = after(current_, i, lane_.senders());
      std::uint32_t in_use = channel(sender).slot_credit.in_use();
      while (in_use != 0) {
        const Place at{sender, InboxCredit<A>::choose(in_use, seen_[sender].next)};
        if (is_ready(at)) return at;
        in_use &= ~(1U << at.slot);
      }
    }
    return std::nullopt;
  }

  template <typename Handle>
  [[gnu::always_inline]] std::uint32_t handle_from(std::optional<Place> found, Handle& handle,
                                                   std::uint32_t most) {
    if (!found || !lock()) return 0;
    const std::uint32_t handled = drain(*found, handle, most);
    unlock();
    return handled;
  }

  // Runs under the lock from here on.
  template <typename Handle>
  [[gnu::always_inline]] std::uint32_t drain(Place at, Handle& handle, std::uint32_t most) {
    std::uint32_t handled = 0;
    for (; handled < most && is_ready(at); ++handled) {
      run(at, handle);
      at.slot = after(at.slot, 1, slots());
    }
    run_ = at.sender == current_ ? run_ + 1 : 1;
    current_ = at.sender;
    // News may repeat after messages were handled without it.
    seen_[at.sender] = {.next = at.slot, .news = unseen};
    return handled;
  }

  template <typename Handle>
  [[gnu::always_inline]] void run(Place at, Handle& handle) {
    auto& slot = channel(at.sender).slots[at.slot];
    auto& claimed = lane_.claimed(at.sender);
    const std::uint32_t claims = claimed.load(std::memory_order_relaxed) ^ 1U << at.slot;
    claimed.store(claims, std::memory_order_relaxed);
    const std::uint32_t block = (slot.stamp.load(std::memory_order_relaxed) >> 1) - 1;
    handle(at.sender, slot.message, block);
    if (block != Reservation::no_block) channel(at.sender).block_credit.give_back(1U << block);
    const std::uint32_t done = claims | 1U << at.slot << slot_bits;
    claimed.store(done, std::memory_order_relaxed);
    if (ends_half(at.slot, done >> slot_bits) || block != Reservation::no_block)
      give_back(at.sender);
  }

  // Credit is returned for half of the slots at a time, so its cache line stays with the sender in
  // between. The last slot of a half may stay reserved and unpublished for long. Then the first
  // slot handled in the other half returns the credit. So a sender with a free slot in either half
  // never waits for settle().
  static bool ends_half(std::uint32_t slot, std::uint32_t done) {
    constexpr std::uint32_t half = (slots() + 1) / 2;
    constexpr std::uint32_t first_half = (1U << half) - 1;
    return (slot + 1) % half == 0 || (done & (slot < half ? ~first_half : first_half)) != 0;
  }

  void give_back(std::uint32_t sender) {
    auto& claimed = lane_.claimed(sender);
    const std::uint32_t word = claimed.load(std::memory_order_relaxed);
    if (word >> slot_bits == 0) return;
    claimed.store(word & ((1U << slot_bits) - 1), std::memory_order_relaxed);
    channel(sender).slot_credit.give_back(word >> slot_bits);
    lane_.sender_bell(sender).ring_if_asleep();
  }

  bool lock() { return alone_ || lane_.lock().try_acquire(); }

  // Other threads of this rank may sleep until a handler's effect, or could not settle meanwhile.
  void unlock() {
    if (alone_) return;
    lane_.lock().release();
    lane_.bell().ring_if_asleep();
  }

  static std::uint32_t after(std::uint32_t at, std::uint32_t steps, std::uint32_t count) {
    const std::uint32_t next = at + steps;
    return next < count ? next : next - count;
  }

  Lane lane_;
  InboxPolling polling_;
  bool alone_ = false;
  std::vector<Seen> seen_;     // indexed by sender
  std::uint32_t current_ = 0;  // sender of the last message
  std::uint32_t run_ = 0;
  std::uint32_t polls_ = 0;
};

}  // namespace gondwana
