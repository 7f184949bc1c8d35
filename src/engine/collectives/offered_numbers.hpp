// The team numbers that a rank offers to others before they agree on one of them, for agreements
// that go on although members die. Only the first group of numbers is used.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/teams/teams.hpp"
#include "sync/number_offer.hpp"

namespace gondwana {

inline NumberOffer take_offered_numbers(Teams& teams) {
  const Teams::FreeNumbers free = teams.free_from(0);
  NumberOffer offer{0, 0};
  if (free.word != 0) return offer;
  for (std::uint64_t bits = free.bits; bits != 0; bits &= bits - 1) {
    const auto number = static_cast<std::uint32_t>(std::countr_zero(bits));
    if (!teams.take(number)) continue;
    offer.numbers |= std::uint64_t{1} << number;
    offer.epoch = std::max(offer.epoch, teams.last_epoch(number));
  }
  return offer;
}

inline void give_offered_back(Teams& teams, std::uint64_t numbers) {
  for (; numbers != 0; numbers &= numbers - 1)
    teams.give_back(static_cast<std::uint32_t>(std::countr_zero(numbers)));
}

}  // namespace gondwana
