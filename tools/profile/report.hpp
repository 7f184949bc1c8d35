// The report: text for people, CSV or JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "thread_slots.hpp"

namespace gondwana::profile {

struct Report {
  std::string title;  // the counted calls, and the end of the counting
  std::size_t peers;  // peers in the matrix; 0: there is no matrix
  int first_rank;     // the first rank in `ranks`
  bool of_threads;    // counts are summed over several threads
  std::vector<RankCounts> ranks;
};

// Formats three digits and a unit: "577 us", "1.20 s".
std::string duration(double nanoseconds);

// A table over all ranks, sorted by time, then a matrix for each kind of traffic that occurred.
std::string as_text(const Report& report);

// Writes JSON if the name ends in ".json". Otherwise writes CSV: a line for each rank and call to
// `file`, and the matrix to `file`.matrix.
Result<void> write_report(const Report& report, const std::string& file);

}  // namespace gondwana::profile
