// The end of a command: its output has been written, or an error message gives the reason.
#pragma once

#include "core/function_ref.hpp"

namespace gondwana {

// Runs a command, which returns its exit status. An exception is reported and gives status 1, and
// so does output that cannot be written.
int run_and_flush(FunctionRef<int()> command);

}  // namespace gondwana
