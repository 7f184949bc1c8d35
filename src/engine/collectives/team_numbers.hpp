// Numbers of teams. The members of a new team agree on one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "engine/collectives/levels/level_collectives.hpp"
#include "engine/teams/teams.hpp"

namespace gondwana {

// The agreement of all participants before a team is made.
struct Agreement {
  std::uint64_t bits;   // free numbers, or whether one was taken; combined by bitwise and
  std::uint64_t least;  // extremes of the offered values: the first number in `bits`, or an epoch
  std::uint64_t most;

  static Agreement offer(std::uint64_t bits, std::uint64_t value) { return {bits, value, value}; }
  static Agreement combined(const Agreement& a, const Agreement& b) {
    return {a.bits & b.bits, std::min(a.least, b.least), std::max(a.most, b.most)};
  }
};
// A collective over all participants: combines what they offer.
using Agree = FunctionRef<Agreement(const Agreement&)>;

class TeamNumbers {
 public:
  TeamNumbers(Teams& teams, LevelCollectives& levels) : teams_(teams), levels_(levels) {}

  // A number taken on this rank, and an epoch that no member has exceeded in a team with that
  // number.
  struct Number {
    std::uint32_t number;
    Epoch epoch;
    bool is_prepared;  // a team with that number may have levels
  };

  // `seed` is the same on all participants. `over` contains all participants; the new team has some
  // of them. `can_take`: this rank may be in the new team.
  Result<Number> agree_on_one(const Team& over, bool can_take, std::uint32_t seed, Agree agree);
  void give_back(const Number& number);
  Team& make(const Number& number, const Team& parent, const Members& chosen);

 private:
  // `has_memory`: a team with that number could be prepared, or needs no preparation.
  struct Taken {
    std::optional<Number> number;
    bool has_memory;
  };

  // The first numbers that are free on all participants.
  Teams::FreeNumbers find_free(bool can_take, Agree agree) const;
  Taken take(std::uint32_t number, bool in_levels);

  Teams& teams_;
  LevelCollectives& levels_;
};

}  // namespace gondwana
