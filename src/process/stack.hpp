// The stack of a thread in words.
#pragma once

#include <cstdint>

namespace gondwana {

// Loads what print_stack needs. To be called before a handler of a signal calls that.
void prepare_stack();

// Writes the stack of the calling thread to `fd`, one frame a line: with file and line where the
// library was built with libbacktrace and the code has debug information. Frames above the one that
// was interrupted at address `from` are left out; 0: none. Takes memory by mmap only, so handlers
// of signals may call it. False where nothing could be written.
bool print_stack(int fd, std::uintptr_t from = 0);

}  // namespace gondwana
