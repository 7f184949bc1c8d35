// The report for people.
#pragma once

#include <string>

#include "report/info/report.hpp"

namespace gondwana::info {

// Without problems and warnings, which belong on the standard error.
std::string to_text(const Report& report);

}  // namespace gondwana::info
