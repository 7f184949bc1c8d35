// `gondwana bench compare BEFORE AFTER`: what has changed between two files of --json beyond the
// noise.
//
// Compared are the ratios of ours and the control within each round, as both see the machine of
// that moment; times, where there is no control. A series has changed where the quartiles of its
// rounds do not overlap and the medians differ by more than `least_change`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "report/bench/samples.hpp"

namespace gondwana::bench {

inline constexpr double least_change = 0.05;

struct Recorded {
  std::string subject;
  std::string door;
  std::string job;
  std::vector<Series> series;
};

// Parses the text of a file of --json into its subjects. Errors mention the file `name`.
Result<std::vector<Recorded>> read_recorded(const std::string& name, std::string_view text);

enum class Change { none, faster, slower };

struct Compared {
  std::string operation;
  std::uint64_t bytes;
  bool has_control;  // the figures are ratios to it, else nanoseconds
  Quartiles before;
  Quartiles after;
  Change change;
};

// The series that both have.
std::vector<Compared> compare(const Recorded& before, const Recorded& after);

std::string to_table(const std::vector<Compared>& compared);

// Exit status: 0, nothing is slower; 1, something is; 2, bad input.
int compare_command(const std::vector<std::string>& files);

}  // namespace gondwana::bench
