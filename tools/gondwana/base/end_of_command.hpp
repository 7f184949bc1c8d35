// How a command ends: what it printed has left, or it says why not.
#pragma once

#include "core/function_ref.hpp"

namespace gondwana {

// Runs a command, which returns its exit status. What it throws is told, and is status 1; output
// that cannot be written is told and no success.
int run_to_the_end(FunctionRef<int()> command);

}  // namespace gondwana
