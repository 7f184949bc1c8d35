// The lines that a measuring program prints, and what they say: one series for each operation and
// size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace gondwana::bench {

// Nanoseconds of one operation, a value for each round; of memory, bytes.
struct Series {
  std::string operation;
  std::uint64_t bytes = 0;  // of the operand; of programs and of what a job costs, the ranks
  std::vector<double> ours;
  std::vector<double> control;  // empty: the target is not mapped here
  std::vector<double> peer;     // empty: there is no other library
};

struct Quartiles {
  double lower;
  double median;
  double upper;
};

// Lines such as "put 8 52.1 48.7" or "put 8 21000 -".
Result<std::vector<Series>> read_samples(std::string_view text);

// Adds the rounds of later runs to those of the same operation and size.
void append(std::vector<Series>& series, const std::vector<Series>& more);
// Adds rounds of another library.
void append_peer(std::vector<Series>& series, const std::vector<Series>& peer);

// The series of an operation stand together, in the order in which operations appear first.
void group_operations(std::vector<Series>& series);

// Of at least one value, interpolated between neighbours.
Quartiles quartiles_of(std::vector<double> values);

// The ratio of ours and the control within each round.
std::vector<double> ratios_of(const Series& series);

}  // namespace gondwana::bench
