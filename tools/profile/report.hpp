// What was counted: as text for people, as CSV or JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "thread_slots.hpp"

namespace gondwana::profile {

struct Report {
  std::string title;  // whose calls, until when
  std::size_t peers;  // of the matrix; 0: there is none
  int first_rank;     // of `ranks`
  bool of_threads;    // what ranks counted is that of several threads
  std::vector<RankCounts> ranks;
};

// Three digits and a unit: "577 us", "1.20 s".
std::string duration(double nanoseconds);

// A table over all ranks, the call that took most time first, then a matrix for each kind of
// traffic that there was.
std::string as_text(const Report& report);

// As JSON where the name of the file ends so. Else as CSV: a line for each rank and call, into
// `file`; the matrix into `file`.matrix.
Result<void> write_report(const Report& report, const std::string& file);

}  // namespace gondwana::profile
