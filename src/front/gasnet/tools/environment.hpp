// The tools' access to the variables of the table.
#pragma once

#include "core/variables.hpp"

namespace gondwana::gasnet::tools {

// Whether a variable is on. A malformed value is off. Async-signal-safe.
bool is_on(VariableId id);

// Prints the value of a variable, under its GASNet name, if GASNET_VERBOSEENV is set.
void report(VariableId id);

}  // namespace gondwana::gasnet::tools
