// Runs the measuring programs and reads what they print.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "report/bench/samples.hpp"
#include "report/bench/subject.hpp"

namespace gondwana::bench {

// A subject and what was found.
struct Measured {
  Choices choices;
  std::string peer;  // what it calls itself; empty: there is none
  std::vector<Series> series;
};

struct Outcome {
  std::vector<Measured> found;
  std::vector<Error> failures;  // of subjects that could not be measured
};

// One after the other. With `shows_progress` it tells how far it is. Nothing is measured if the
// peer cannot be built.
Outcome measure(const std::vector<Choices>& all, bool shows_progress);

}  // namespace gondwana::bench
