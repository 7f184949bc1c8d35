// The memory that a team on several nodes needs, for each of the numbers that a rank offers.
#pragma once

#include <bit>

#include "engine/collectives/levels/level_collectives.hpp"
#include "engine/collectives/offered_numbers.hpp"
#include "memory/layout.hpp"

namespace gondwana {

inline std::uint64_t lowest_of(std::uint64_t numbers) {
  return numbers & -numbers;
}

inline std::uint32_t number_of(std::uint64_t bit) {
  return static_cast<std::uint32_t>(std::countr_zero(bit));
}

// Takes the memory that a team on several nodes needs, and publishes its place for each number of
// the offer. Offers no number if no memory is left.
inline NumberOffer with_memory(const CollectiveResources& with, LevelCollectives& levels,
                               Teams& teams, NumberOffer offer) {
  if (offer.numbers == 0) return offer;
  const std::uint32_t first = number_of(offer.numbers);
  const std::optional<Epoch> epoch = levels.prepare(first);
  if (!epoch) {
    give_offered_back(teams, offer.numbers);
    return {0, offer.epoch};
  }
  std::byte* const arena = with.memory.window(with.me);
  const auto place_of = [arena](std::uint32_t number) -> StagedPlace& {
    return shared_at<StagedPlace>(arena, system_area::team_places.at(number));
  };
  for (std::uint64_t bits = offer.numbers; bits != 0; bits &= bits - 1)
    place_of(number_of(bits)) = place_of(first);
  return {offer.numbers, std::max(offer.epoch, *epoch)};
}

}  // namespace gondwana
