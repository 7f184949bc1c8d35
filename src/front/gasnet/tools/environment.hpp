// Access of the tools to the variables of the table.
#pragma once

#include "core/variables.hpp"

namespace gondwana::gasnet::tools {

// Whether a variable is on. A malformed value is off. Signal handlers may call it.
bool is_on(VariableId id);

// Prints the value of a variable, under its GASNet name, if GASNET_VERBOSEENV is set.
void report(VariableId id);

}  // namespace gondwana::gasnet::tools
