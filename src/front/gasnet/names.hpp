// Names of sets of data types and operations, for messages to users.
#pragma once

#include <string>

#include "gasnet_fwd.h"

namespace gondwana::gasnet {

// "GEX_DT_I32".
std::string names_of_types(gex_DT_t set);
// "GEX_OP_ADD | GEX_OP_FADD".
std::string names_of_operations(gex_OP_t set);

}  // namespace gondwana::gasnet
