// What to type where checks of all calls would say more.
#pragma once

#include <string>

#include "core/variables.hpp"

namespace gondwana {

// "run again with -x GONDWANA_DEBUG=yes: it names the call". Empty where the ranks, whose
// environment this is, check their calls already.
std::string suggest_debug(const Environment& ranks = own_environment());

// The same after "; ", for a size or an offset that is wrong.
std::string suggest_debug_of_size();

}  // namespace gondwana
