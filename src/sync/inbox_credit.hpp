// The credit of one sender with one receiver: which of a few places are in use.
//
// Each place has a bit that is 1 while it is in use. The sender sets it, only by a compare-exchange
// that saw 0, so a place is never taken twice. The last user clears it: the receiver after the
// handler, or the sender when it gives up. In between the place belongs to its owner. A place whose
// sender sleeps or has died reduces this sender's credit, and no other.
#pragma once

#include <bit>
#include <optional>

#include "sync/atomics.hpp"

namespace gondwana {

template <typename A>
concept ExchangingAtomics =
    AtomicsPolicy<A> && requires(typename A::Word& word, std::uint32_t& expected,
                                 std::uint32_t value, std::memory_order order) {
      { word.compare_exchange_strong(expected, value, order, order) } -> std::same_as<bool>;
    };

static_assert(ExchangingAtomics<RealAtomics>);

enum class Take : std::uint8_t {
  next,    // the one after the last taken: the start of a search
  lowest,  // the one most likely used last, still in a cache
};

template <ExchangingAtomics A>
struct InboxCredit {
  static constexpr std::uint32_t max_places = 16;

  // Low half: a bit per place, 1 if in use. High half: 1 + the last taken place.
  typename A::Word word;

  // Takes a place below `places`; nothing if none is free. Never waits.
  std::optional<std::uint32_t> take(std::uint32_t places, Take order) {
    std::uint32_t seen = word.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t free = ~seen & ((1U << places) - 1);
      if (free == 0) return std::nullopt;
      const std::uint32_t place = choose(free, order == Take::next ? seen >> max_places : 0);
      const std::uint32_t taken = (place + 1) << max_places | (seen & in_use_mask) | 1U << place;
      // Pairs with give_back(): the earlier contents have been read.
      if (word.compare_exchange_strong(seen, taken, std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return place;
    }
  }

  // Takes all free places below `places`, a bit each. Never waits.
  std::uint32_t take_all(std::uint32_t places) {
    std::uint32_t seen = word.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t free = ~seen & ((1U << places) - 1);
      // Pairs with give_back(), as in take().
      if (free == 0 || word.compare_exchange_strong(seen, seen | free, std::memory_order_acquire,
                                                    std::memory_order_relaxed))
        return free;
    }
  }

  // The owner of these places, a bit each, has made its last access to them.
  void give_back(std::uint32_t places) {
    word.fetch_add(0U - places, std::memory_order_release);  // pairs with take()
  }

  // The first of these places, a bit each, from `from` on and then from 0. At least one must be
  // set.
  static std::uint32_t choose(std::uint32_t places, std::uint32_t from) {
    const std::uint32_t later = places >> from << from;
    return static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : places));
  }

  // A bit for each place in use.
  std::uint32_t in_use() const { return word.load(std::memory_order_relaxed) & in_use_mask; }
  bool all_in_use(std::uint32_t places) const { return in_use() == (1U << places) - 1; }

 private:
  static constexpr std::uint32_t in_use_mask = (1U << max_places) - 1;
};

}  // namespace gondwana
