// Teams for the sets of ranks that OpenSHMEM's active-set calls name.
//
// A set is identified by its ranks and by the flag array of its caller. The first collective of a
// set agrees on a team number by those flags. The team is kept for later collectives. All members
// meet a set in the same collective, so either all know it or none does. Threads that use the same
// ranks at once pass different arrays, and so have different teams.
//
// The team of a set is never destroyed, so only the first sets of a rank have one, and none has if
// no number is free. A set without a team stays without one as long as the engine exists: its
// collectives use its flags.
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
  // `make` is called for a new set. It creates the team, or returns null if no team is possible.
  Team* find(const Team& set, FunctionRef<Team*()> make) {
    const Known* known = place_of(set).load(std::memory_order_acquire);  // pairs with find_slowly()
    if (known != nullptr && known->is(set)) [[likely]]
      return known->team;
    return find_slowly(set, make);
  }
  bool may_have_more_teams() const { return teams_.load(std::memory_order_relaxed) < max_teams; }
  // Called after all teams of the engine have ended.
  void forget();

 private:
  static constexpr std::size_t recent = 64;
  static constexpr std::size_t max_teams = 16;

  struct Known {
    std::uint32_t first;
    std::int32_t stride;
    std::uint32_t size;
    std::size_t flags;
    Team* team;  // null: the set has no team

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
  std::atomic<std::size_t> teams_{0};  // number of sets
  std::mutex mutex_;                   // guards the sets
  std::deque<Known> sets_;
};

}  // namespace gondwana
