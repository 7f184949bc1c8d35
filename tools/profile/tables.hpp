// The counts of all ranks in a session.
#pragma once

#include <string>
#include <vector>

#include "clock.hpp"
#include "rank_paths.hpp"
#include "rank_regions.hpp"
#include "thread_slots.hpp"

namespace gondwana::profile {

struct Tables {
  Stopwatch stopwatch;  // since the session began
  ThreadSlots slots;
  RankPaths paths;
  RankRegions regions;

  // Assumes that a rank that has not published runs on a machine like this one.
  RankCounts scaled(RankCounts counts) const;
  std::vector<RankCounts> all_counts() const;
  // RankCounts::details of this rank.
  std::string own_details(double nanoseconds_per_tick);
  // Ranks begin at different times, and the first ones wait for the last.
  double seconds_of_longest(const std::vector<RankCounts>& counts) const;
};

}  // namespace gondwana::profile
