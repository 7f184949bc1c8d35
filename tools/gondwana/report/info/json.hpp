// Formats the report for programs.
#pragma once

#include <string>
#include <string_view>

#include "report/info/report.hpp"

namespace gondwana::info {

// Returns one object: a version, an object for each section, and lists of variables, problems and
// warnings. Sizes are in bytes; a limit that is not set is null.
std::string to_json(const Report& report);

}  // namespace gondwana::info
