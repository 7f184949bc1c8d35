// Runs the measuring programs and reads what they print.
#pragma once

#include <string>
#include <vector>

#include "bench/samples.hpp"
#include "bench/subject.hpp"
#include "core/result.hpp"

namespace gondwana::bench {

// A subject and what was found.
struct Measured {
  Choices choices;
  std::string peer;  // what it calls itself; empty: there is none
  std::vector<Series> series;
};

// One after the other. With `shows_progress` it tells how far it is.
Result<std::vector<Measured>> measure(const std::vector<Choices>& all, bool shows_progress);

}  // namespace gondwana::bench
