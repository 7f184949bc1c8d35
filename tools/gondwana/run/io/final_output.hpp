// The output that is left when all processes of a job have ended.
#pragma once

#include "core/function_ref.hpp"
#include "run/io/poller.hpp"
#include "run/outcome.hpp"

namespace gondwana::launch {

// Calls `write` until it returns true: everything is written then. This may take any time, as long
// as there is a reader. Handlers of `poller` may change `outcome` meanwhile.
void write_final_output(FunctionRef<bool()> write, const Outcome& outcome, Poller& poller);

}  // namespace gondwana::launch
