// Where the program is, in words: the innermost of its functions that the calling thread is in.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace gondwana {

struct ProgramPlace {
  std::array<char, 512> text{};    // "in main, heat.c:41", or "in main" without debug information
  std::array<char, 256> called{};  // the function of a library that it has called; empty: unknown
};

// Frames above the one that was interrupted at address `from` are left out; 0: none. False where
// nothing is known. Takes memory by mmap only, as print_program_frames, so handlers of signals may
// call both.
bool find_program_place(ProgramPlace& place, std::uintptr_t from = 0);

// The functions of the program, without those of libraries: at most 8, one a line. Nothing is
// written where there is one alone: its place says it all.
void print_program_frames(int fd, std::uintptr_t from);

// " (in main, heat.c:41)", for the end of a sentence about a call of the program. Empty where the
// program is not known, and for an interpreter of Python.
std::string caller_in_brackets();

}  // namespace gondwana
