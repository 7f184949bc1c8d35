// The stack of a thread in words.
#pragma once

#include <cstdint>

namespace gondwana {

struct Frame {
  std::uintptr_t address = 0;
  const char* function = nullptr;  // as the linker knows it; null: unknown
  const char* file = nullptr;      // null: unknown
  int line = 0;
};

// From the innermost on, until `visit` returns false: with file and line where the library was
// built with libbacktrace and the code has debug information, and a frame for each inlined
// function. What a frame points to is gone afterwards. Takes memory by mmap only, so handlers of
// signals may call it.
using VisitFrame = bool (*)(void* data, const Frame& frame);
void walk_stack(VisitFrame visit, void* data);
// The same of one address, which need not be on the stack.
void visit_address(std::uintptr_t address, VisitFrame visit, void* data);

// Reads what walk_stack needs: a stack that has run over may have little room for that.
void prepare_stack();

// Writes the stack of the calling thread to `fd`, one frame a line. Frames above the one that was
// interrupted at address `from` are left out; 0: none. False where nothing could be written.
bool print_stack(int fd, std::uintptr_t from = 0);

// The address of a frame is one less than where it goes on.
inline bool is_at(const Frame& frame, std::uintptr_t place) {
  return frame.address == place || frame.address + 1 == place;
}

}  // namespace gondwana
