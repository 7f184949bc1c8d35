// Formats results as a table like the OSU micro-benchmarks, as CSV or as JSON.
#pragma once

#include <string>
#include <vector>

#include "report/bench/measurement.hpp"

namespace gondwana::bench {

// Uses the requested format. CSV has no header line.
std::string report(const Measured& measured);

// Joins the reports of several subjects. Several JSON reports become a list. In CSV all subjects
// have the same columns.
std::string together(const std::vector<std::string>& reports, Format format);

}  // namespace gondwana::bench
