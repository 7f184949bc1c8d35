// What was measured, as a table like those of the OSU micro-benchmarks, as CSV or as JSON.
#pragma once

#include <string>
#include <vector>

#include "report/bench/measurement.hpp"

namespace gondwana::bench {

// In the format that was chosen; CSV without the titles of its columns.
std::string report(const Measured& measured);

// Those of several subjects. JSON of more than one is a list. Subjects have the same columns in
// CSV.
std::string together(const std::vector<std::string>& reports, Format format);

}  // namespace gondwana::bench
