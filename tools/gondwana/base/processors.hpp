// Formats sets of processors.
#pragma once

#include <sched.h>

#include <string>

namespace gondwana {

// "0-3, 8"
std::string format_processors(const cpu_set_t& processors);

}  // namespace gondwana
