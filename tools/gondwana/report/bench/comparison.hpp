// `gondwana bench compare BEFORE AFTER`: reports which differences between two --json files exceed
// the noise.
//
// It compares the ratio of our time to the control's within each round, because both see the same
// machine then. Without a control it compares times. A series has changed if the quartile ranges of
// its rounds do not overlap and the medians differ by more than `min_change`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "report/bench/samples.hpp"

namespace gondwana::bench {

inline constexpr double min_change = 0.05;

struct Recorded {
  std::string subject;
  std::string door;
  std::string job;
  std::vector<Series> series;
};

// Parses the text of a --json file into its subjects. Errors name the file `name`.
Result<std::vector<Recorded>> read_recorded(const std::string& name, std::string_view text);

enum class Change { none, faster, slower };

struct Compared {
  std::string operation;
  std::uint64_t bytes;
  bool has_control;  // the figures are ratios to it; otherwise nanoseconds
  Quartiles before;
  Quartiles after;
  Change change;
};

// Compares the series that both contain.
std::vector<Compared> compare(const Recorded& before, const Recorded& after);

std::string to_table(const std::vector<Compared>& compared);

// Exit status: 0 if nothing is slower, 1 if something is, 2 after bad input.
int compare_command(const std::vector<std::string>& files);

}  // namespace gondwana::bench
