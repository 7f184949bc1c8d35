// Makes a rank write its printed lines at once. The C library buffers several KiB of output to a
// pipe, and a killed rank would lose them.
#pragma once

#include "core/variables.hpp"

namespace gondwana {

// Call it before main(). If the standard output is an unbuffered pipe or socket, each line is
// written when it is complete.
void print_by_line(const Environment& environment);

// Called by the crash handler: writes the rest of the standard output. Uses system calls only.
void write_last_lines();

}  // namespace gondwana
