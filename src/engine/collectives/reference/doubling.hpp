// Exchange partners at doubling distances, for any number of members.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/collectives/reference/group.hpp"

namespace gondwana {

// The members up to the largest power of two exchange with partners at distance 1, 2, 4 ... If
// there are more members, some of these represent two neighbors.
class Doubling {
 public:
  explicit Doubling(const Group& group)
      : power_(std::bit_floor(group.size())), pairs_(group.size() - power_) {}

  bool is_first_of_pair(std::uint32_t member) const {
    return member < 2 * pairs_ && member % 2 == 0;
  }
  bool is_second_of_pair(std::uint32_t member) const {
    return member < 2 * pairs_ && member % 2 != 0;
  }
  std::uint32_t rounds() const { return rounds_for(power_); }
  std::uint32_t partner(std::uint32_t member, std::uint32_t round) const {
    const std::uint32_t place = member < 2 * pairs_ ? member / 2 : member - pairs_;
    const std::uint32_t other = place ^ (1U << round);
    return other < pairs_ ? 2 * other : other + pairs_;
  }

 private:
  std::uint32_t power_;
  std::uint32_t pairs_;
};

}  // namespace gondwana
