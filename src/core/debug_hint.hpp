// Tells a user how to enable checks of all calls.
#pragma once

#include <string>

#include "core/variables.hpp"

namespace gondwana {

// "run again with -x GONDWANA_DEBUG=yes: it names the call". Empty if the ranks already check their
// calls. This process has the ranks' environment.
std::string suggest_debug(const Environment& ranks = own_environment());

// The same after "; ", for a wrong size or offset.
std::string suggest_debug_of_size();

}  // namespace gondwana
