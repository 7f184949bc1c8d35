// How a rank of a job on several nodes enters an update of the world: a message to the launcher of
// the job, which decides for all of them (run/remote/world_agreement.hpp). And the word that
// contains a decision.
#pragma once

#include <cstdint>

namespace gondwana {

struct WorldEntry {
  std::uint32_t rank = 0;     // that enters
  std::uint32_t process = 0;  // how many processes have had its place before
  std::uint64_t numbers = 0;  // its offer, as in WorldUpdate
  std::uint64_t epoch = 0;
};

// What all ranks that live get.
struct WorldDecision {
  std::uint64_t turn = 0;    // the number of the update, from 1
  std::uint32_t size = 0;    // the ranks that have had a number
  std::uint32_t deaths = 0;  // the world consists of those that live after the first deaths
  std::uint64_t numbers = 0;
  std::uint64_t epoch = 0;
};

// A turn, the number of ranks and the number of deaths in one word; 0: no decision.
namespace world_word {

// As many bits as the number of a rank has.
inline constexpr unsigned size_shift = 20;
inline constexpr unsigned turn_shift = 2 * size_shift;
inline constexpr std::uint32_t max_number = (1U << size_shift) - 1;

constexpr std::uint64_t of(std::uint64_t turn, std::uint32_t size, std::uint32_t deaths) {
  return turn << turn_shift | std::uint64_t{size} << size_shift | deaths;
}
constexpr std::uint64_t turn(std::uint64_t word) {
  return word >> turn_shift;
}
constexpr std::uint32_t size(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> size_shift) & max_number;
}
constexpr std::uint32_t deaths(std::uint64_t word) {
  return static_cast<std::uint32_t>(word) & max_number;
}

}  // namespace world_word
}  // namespace gondwana
