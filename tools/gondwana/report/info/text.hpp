// Formats the report for people.
#pragma once

#include <string>

#include "report/info/report.hpp"

namespace gondwana::info {

// Excludes problems and warnings, which go to standard error.
std::string to_text(const Report& report);

}  // namespace gondwana::info
