// The graph of the ranks and the ranks that they wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/jobs/watch.hpp"

namespace gondwana::why {

enum class Activity : std::uint8_t {
  absent,    // it has not joined
  starting,  // it initialises and does not wait for other ranks yet
  lost,      // it has ended without leaving the job
  left,      // it has left the job normally
  stopped,   // it is stopped by a signal or a debugger
  silent,    // it is in the program and made no calls
  wait,      // it was in one call all the time
  work,      // it makes calls, and may wait occasionally
};

Activity activity_of(const jobs::RankSeen& rank);

// Whether the rank takes part and can continue.
bool is_alive(const jobs::RankSeen& rank);

// No rank takes part any more: each has left the job or was lost.
bool is_over(const jobs::JobSeen& job);

class WaitGraph {
 public:
  explicit WaitGraph(const jobs::JobSeen& job);

  // Sets of ranks that wait for each other and for no other rank.
  const std::vector<std::vector<std::uint32_t>>& cycles() const { return cycles_; }
  // Ranks that wait for no known rank, if others wait for them or they wait themselves.
  const std::vector<std::uint32_t>& ends() const { return ends_; }

  const jobs::RankSeen& rank(std::uint32_t rank) const;

 private:
  class Search;

  std::vector<std::size_t> targets_of(std::size_t place) const;

  const jobs::JobSeen* job_;
  std::vector<std::vector<std::size_t>> targets_;  // indexed like the list of ranks
  std::vector<std::vector<std::uint32_t>> cycles_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace gondwana::why
