// Teams for sets of ranks that each call names anew: OpenSHMEM's active sets.
//
// A set is known by its ranks and by the array of flags that its caller brings. The first
// collective of a set agrees on a team number by those flags, and the team is kept for all later
// ones. All members meet a set in the same collective, so all know it or none does. Threads that
// use the same ranks at once bring different arrays, and so have different teams.
//
// A set for which there is no number has no team, for as long as the engine lives: its collectives
// go by its flags.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "core/function_ref.hpp"
#include "engine/teams/teams.hpp"

namespace gondwana {

class SetTeams {
 public:
  // `make` is called for a set that is new: it makes the team, or finds that there is none.
  Team* find(const Team& set, FunctionRef<Team*()> make) {
    const Known* known = place_of(set).load(std::memory_order_acquire);  // pairs with find_slowly()
    if (known != nullptr && known->is(set)) [[likely]]
      return known->team;
    return find_slowly(set, make);
  }
  // After all teams of the engine have ended.
  void forget();

 private:
  static constexpr std::size_t recent = 64;

  struct Known {
    std::uint32_t first;
    std::int32_t stride;
    std::uint32_t size;
    std::size_t flags;
    Team* team;  // null: it has none

    bool is(const Team& set) const {
      return flags == set.own_flags && first == set.first && stride == set.stride &&
             size == set.size;
    }
  };

  std::atomic<const Known*>& place_of(const Team& set) {
    return recent_[set.own_flags / cache_line % recent];
  }
  Team* find_slowly(const Team& set, FunctionRef<Team*()> make);
  const Known* find_known(const Team& set);
  const Known& remember(const Team& set, Team* team);

  std::array<std::atomic<const Known*>, recent> recent_{};
  std::mutex mutex_;  // guards the sets
  std::deque<Known> sets_;
};

}  // namespace gondwana
