// Describes the stack of a thread.
#pragma once

#include <cstdint>

namespace gondwana {

struct Frame {
  std::uintptr_t address = 0;
  const char* function = nullptr;  // as the linker knows it; null: unknown
  const char* file = nullptr;      // null: unknown
  int line = 0;
};

// Visits frames from the innermost on, until `visit` returns false. Frames have file and line if
// the library was built with libbacktrace and the code has debug information; inlined functions get
// frames of their own. The texts of a frame are valid during the visit. Allocates by mmap only, so
// signal handlers may call it.
using VisitFrame = bool (*)(void* data, const Frame& frame);
void walk_stack(VisitFrame visit, void* data);
// Visits the frames of one address, which need not be on the stack.
void visit_address(std::uintptr_t address, VisitFrame visit, void* data);

// Loads the data that walk_stack needs. Later, an overflowed stack may have too little space for
// it.
void prepare_stack();

// Writes the stack of the calling thread to `fd`, one frame per line. Skips frames above the one
// that was interrupted at address `from`; 0: skips none. False if nothing was written.
bool print_stack(int fd, std::uintptr_t from = 0);

// The address of a frame is its return address minus one.
inline bool is_at(const Frame& frame, std::uintptr_t place) {
  return frame.address == place || frame.address + 1 == place;
}

}  // namespace gondwana
