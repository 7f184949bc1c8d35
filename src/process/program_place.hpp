// Describes where the program is: the innermost of its functions on the calling thread's stack.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace gondwana {

struct ProgramPlace {
  std::array<char, 512> text{};    // "in main, heat.c:41", or "in main" without debug information
  std::array<char, 256> called{};  // the library function that it called; empty: unknown
};

// Skips frames above the one that was interrupted at address `from`; 0: skips none. False if
// nothing is known. Allocates by mmap only, like print_program_frames, so signal handlers may call
// both.
bool find_program_place(ProgramPlace& place, std::uintptr_t from = 0);

// Prints the functions of the program, without those of libraries: at most 8, one per line. Prints
// nothing if there is only one: its place is already known.
void print_program_frames(int fd, std::uintptr_t from);

// " (in main, heat.c:41)", for the end of a message about a call of the program. Empty if the
// program's place is unknown, and for a Python interpreter.
std::string caller_in_brackets();

}  // namespace gondwana
