// Runs the measuring programs and reads their output.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "report/bench/samples.hpp"
#include "report/bench/subject.hpp"

namespace gondwana::bench {

// A subject and its results.
struct Measured {
  Choices choices;
  std::vector<std::string> peers;  // the name and version of each of choices.peers
  std::vector<Series> series;
};

struct Outcome {
  std::vector<Measured> found;
  std::vector<Error> failures;  // for subjects that could not be measured
};

// Measures one subject after the other, and prints its progress if `shows_progress`. Nothing is
// measured if a peer cannot be built.
Outcome measure(const std::vector<Choices>& all, bool shows_progress);

}  // namespace gondwana::bench
