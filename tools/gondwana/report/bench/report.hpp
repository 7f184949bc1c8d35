// Formats results as a table, with the columns of the OSU micro-benchmarks, as CSV or as JSON.
#pragma once

#include <string>
#include <vector>

#include "report/bench/measurement.hpp"

namespace gondwana::bench {

// Uses the requested format, the same for all. Several JSON reports become a list. In CSV all
// subjects have the same columns.
std::string report(const std::vector<Measured>& all);

// The JSON of one subject.
std::string to_json(const Measured& measured);

}  // namespace gondwana::bench
