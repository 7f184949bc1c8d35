// The text that rank 0 prints at start if GONDWANA_VERSION or GONDWANA_INFO is set.
#pragma once

#include <string>
#include <string_view>

#include "core/options.hpp"
#include "core/variables.hpp"

namespace gondwana {

// Returns complete lines, or an empty text. `door`: its name and version.
std::string greeting(std::string_view door, const Options& options, const Environment& environment);

}  // namespace gondwana
