// Variables of the table, as the tools ask for them.
#pragma once

#include "core/variables.hpp"

namespace gondwana::gasnet::tools {

// Whether a variable says yes; what cannot be read is no. Handlers of signals may ask.
bool is_on(VariableId id);

// Says the value of a variable, under its name of GASNet, if GASNET_VERBOSEENV asks for that.
void report(VariableId id);

}  // namespace gondwana::gasnet::tools
