// The whole report as JSON. tools/profile/profile_page draws the page from it.
#pragma once

#include <string>

#include "report.hpp"

namespace gondwana::profile {

// The matrix contains only nonzero entries.
std::string as_json(const Report& report);

}  // namespace gondwana::profile
