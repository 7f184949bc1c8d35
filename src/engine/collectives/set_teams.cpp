#include "engine/collectives/set_teams.hpp"

#include <algorithm>

namespace gondwana {

// No other thread looks up this set meanwhile, because it would be in a collective of the same set.
Team* SetTeams::find_slowly(const Team& set, FunctionRef<Team*()> make) {
  const Known* known = find_known(set);
  if (known == nullptr) known = &remember(set, make());
  place_of(set).store(known, std::memory_order_release);  // pairs with find()
  return known->team;
}

const SetTeams::Known* SetTeams::find_known(const Team& set) {
  const std::scoped_lock lock(mutex_);
  const auto known = std::ranges::find_if(sets_, [&](const Known& each) { return each.is(set); });
  return known == sets_.end() ? nullptr : &*known;
}

const SetTeams::Known& SetTeams::remember(const Team& set, Team* team) {
  if (team != nullptr) teams_.fetch_add(1, std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  return sets_.emplace_back(Known{.first = set.first,
                                  .stride = set.stride,
                                  .size = set.size,
                                  .flags = set.own_flags,
                                  .team = team});
}

void SetTeams::forget() {
  const std::scoped_lock lock(mutex_);
  for (std::atomic<const Known*>& place : recent_) place.store(nullptr, std::memory_order_relaxed);
  sets_.clear();
  teams_.store(0, std::memory_order_relaxed);
}

}  // namespace gondwana
