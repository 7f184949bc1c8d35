#include "tables.hpp"

#include <algorithm>

#include "pshmem.h"

namespace gondwana::profile {

RankCounts Tables::scaled(RankCounts counts) const {
  if (counts.nanoseconds_per_tick == 0)
    counts.nanoseconds_per_tick = stopwatch.nanoseconds_per_tick();
  return counts;
}

std::vector<RankCounts> Tables::all_counts() const {
  std::vector<RankCounts> counts;
  counts.reserve(static_cast<std::size_t>(pshmem_n_pes()));
  for (int pe = 0; pe < pshmem_n_pes(); ++pe) counts.push_back(scaled(slots.counts_of(pe)));
  return counts;
}

double Tables::seconds_of_longest(const std::vector<RankCounts>& counts) const {
  double longest = stopwatch.seconds();
  for (const RankCounts& rank : counts) longest = std::max(longest, rank.seconds);
  return longest;
}

}  // namespace gondwana::profile
