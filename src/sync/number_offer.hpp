// What a process offers to others before they agree on a number for a team.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sync/atomics.hpp"

namespace gondwana {

// An epoch has the generation of the process that begins it above these bits: epochs of a later
// process of a rank are higher than all of an earlier one.
inline constexpr unsigned bits_of_a_generation = 40;

struct NumberOffer {
  std::uint64_t numbers;  // free team numbers, as bits
  std::uint64_t epoch;    // no team with these numbers has exceeded it

  // Keeps what both offer.
  void restrict_to(const NumberOffer& other) {
    numbers &= other.numbers;
    epoch = std::max(epoch, other.epoch);
  }
};

inline constexpr NumberOffer any_number{~std::uint64_t{0}, 0};

// In shared memory. Its owner publishes another word afterwards.
template <AtomicsPolicy A>
struct OfferPlace {
  typename A::Counter numbers;
  typename A::Counter epoch;

  void store(const NumberOffer& offer) {
    numbers.store(offer.numbers, std::memory_order_relaxed);
    epoch.store(offer.epoch, std::memory_order_relaxed);
  }
  NumberOffer load() const {
    return {numbers.load(std::memory_order_relaxed), epoch.load(std::memory_order_relaxed)};
  }
};

}  // namespace gondwana
