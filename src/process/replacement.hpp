// A process that takes the place of a dead process of its rank (`gondwana run --restart`).
#pragma once

#include "core/result.hpp"
#include "process/process.hpp"

namespace gondwana {

// Whether this process replaces another one and has not begun to run.
bool replaces_another(const Process& self);

// Prepares the arena for the variables of the program. Returns whether they are to be as the dead
// process left them, and not as the program begins. They may contain addresses, so the program and
// the C library must lie where they lay.
Result<Contents> prepare_variables(const Process& self);

}  // namespace gondwana
