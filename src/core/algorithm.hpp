// The algorithm of a collective: chosen by Gondwana, or by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/result.hpp"

namespace gondwana {

// A barrier counts as a sync.
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
  automatic,           // the best for the team and the size
  linear,              // one member exchanges with each of the others, or each with all
  ring,                // each exchanges with its neighbours
  tree,                // a binomial tree
  recursive_doubling,  // each exchanges with log2(members) others, over doubling distances
  dissemination,       // the same in one direction, for barriers
  levels,              // shared memory within a node, messages between one member of each node
};

// The algorithms that ignore nodes: every member is a peer like the others.
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
  // All choices as one number, for ranks to compare.
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

// The algorithms that a collective supports.
std::span<const Algorithm> algorithms_for(Collective collective);

// The error lists the allowed names.
Result<Algorithm> parse_algorithm(Collective collective, std::string_view text);

}  // namespace gondwana
