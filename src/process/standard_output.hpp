// When the printed lines of a rank leave it. They leave at once: a killed rank writes nothing, and
// the C library buffers several KiB of output to a pipe.
#pragma once

#include "core/variables.hpp"

namespace gondwana {

// Call it before main(). If the standard output is an unbuffered pipe or socket, each line is
// written when it is complete.
void print_by_line(const Environment& environment);

// For the crash handler: writes the rest of the standard output. Uses system calls only.
void write_last_lines();

}  // namespace gondwana
