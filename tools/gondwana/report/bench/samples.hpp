// Parses the output of a measuring program: one series for each operation and size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace gondwana::bench {

// Nanoseconds of one operation for each round; for memory, bytes.
struct Series {
  std::string operation;
  std::uint64_t bytes = 0;  // size of the operand; for programs and job costs, the number of ranks
  std::vector<double> ours;
  std::vector<double> control;             // empty: the target is not mapped here
  std::vector<std::vector<double>> peers;  // an entry for each peer, empty if it lacks this
};

struct Quartiles {
  double lower;
  double median;
  double upper;
};

// Parses lines such as "put 8 52.1 48.7" or "put 8 21000 -".
Result<std::vector<Series>> read_samples(std::string_view text);

// Appends the rounds of later runs to the series of the same operation and size.
void append(std::vector<Series>& series, const std::vector<Series>& more);
// Adds the rounds of peer number `peer`.
void append_peer(std::vector<Series>& series, std::size_t peer, const std::vector<Series>& theirs);
// The same for one series.
void append_peer(Series& series, std::size_t peer, const std::vector<double>& values);

// Groups the series by operation, in the order in which operations first appear.
void group_operations(std::vector<Series>& series);

// `values` must not be empty. Interpolates between neighbours.
Quartiles quartiles_of(std::vector<double> values);

// The ratio of our time to the control's, for each round.
std::vector<double> ratios_of(const Series& series);

}  // namespace gondwana::bench
