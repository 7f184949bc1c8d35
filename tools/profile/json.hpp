// The whole report as JSON, from which tools/profile/page makes pictures and a page.
#pragma once

#include <string>

#include "report.hpp"

namespace gondwana::profile {

// Of the matrix only the entries that are not zero.
std::string as_json(const Report& report);

}  // namespace gondwana::profile
