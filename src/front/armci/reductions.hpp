// Reductions and selections of the message layer. `type`: one of ARMCI_INT to ARMCI_DOUBLE.
#pragma once

#include <string_view>

#include "armci/armci.h"
#include "core/types.hpp"

namespace gondwana::armci {

// NOLINTBEGIN(readability-function-size): the interface chose the parameters
void combine(CallName call, int scope, void* x, int n, std::string_view op, int type);
void combine_in_group(CallName call, void* x, int n, std::string_view op, int type,
                      const ARMCI_Group* group);
void select(CallName call, int scope, void* x, int n, std::string_view op, int type, int counts);
// NOLINTEND(readability-function-size)

}  // namespace gondwana::armci
