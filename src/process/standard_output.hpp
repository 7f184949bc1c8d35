// When the lines that a rank prints leave it: at once, because a rank that is killed writes nothing
// any more, and the C library keeps what goes to a pipe until some KiB have come together.
#pragma once

#include "core/variables.hpp"

namespace gondwana {

// To be called before main(). Where the standard output is a pipe or a socket and has no buffer
// yet, each line leaves it when it is complete.
void print_by_line(const Environment& environment);

// For the handler of a crash: writes what is left of the standard output. System calls only.
void write_last_lines();

}  // namespace gondwana
