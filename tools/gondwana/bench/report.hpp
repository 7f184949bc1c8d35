// What was measured, as a table like those of the OSU micro-benchmarks, as CSV or as JSON.
#pragma once

#include <string>
#include <vector>

#include "bench/samples.hpp"
#include "bench/subject.hpp"

namespace gondwana::bench {

std::string report(const Choices& choices, const std::vector<Series>& series);

}  // namespace gondwana::bench
