// By which algorithm a collective is done: chosen by Gondwana, or by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/result.hpp"

namespace gondwana {

// Barriers are syncs too.
enum class Collective : std::uint8_t {
  barrier,
  broadcast,
  reduce,
  collect,
  fcollect,
  alltoall,
  scan,
};
inline constexpr std::size_t collectives = 7;

enum class Algorithm : std::uint8_t {
  automatic,           // whatever is best for the team and the size
  linear,              // one member with each of the others, or each with all
  ring,                // each with its neighbours
  tree,                // binomial
  recursive_doubling,  // each with log2(members) others, over doubling distances
  dissemination,       // the same in one direction only, for barriers
  levels,              // common memory within a node, messages between one member of each
};

// One that looks at no node: every member is a peer like any other.
constexpr bool is_flat(Algorithm algorithm) {
  return algorithm != Algorithm::automatic && algorithm != Algorithm::levels;
}

class Algorithms {
 public:
  Algorithm of(Collective collective) const {
    return chosen_[static_cast<std::size_t>(collective)];
  }
  void choose(Collective collective, Algorithm algorithm) {
    chosen_[static_cast<std::size_t>(collective)] = algorithm;
  }
  // All of them as one number, for ranks to compare.
  std::uint64_t number() const {
    std::uint64_t number = 0;
    for (const Algorithm algorithm : chosen_)
      number = number << 8 | static_cast<std::uint64_t>(algorithm);
    return number;
  }

 private:
  std::array<Algorithm, collectives> chosen_{};
};

std::string_view name_of(Algorithm algorithm);

// Those that a collective may be done by.
std::span<const Algorithm> algorithms_for(Collective collective);

// The error lists the names that are allowed.
Result<Algorithm> parse_algorithm(Collective collective, std::string_view text);

}  // namespace gondwana
