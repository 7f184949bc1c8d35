// The functions that the calling thread is in.
#pragma once

#include <cstdint>

namespace gondwana {

struct CallFrame {
  std::uintptr_t address = 0;      // in the function: of its call, or where a signal came
  std::uintptr_t stack_begin = 0;  // of its variables; its caller's lie beyond them
};

using VisitCallFrame = bool (*)(void* data, const CallFrame& frame);

// From the innermost on, until `visit` returns false. Allocates nothing.
void visit_call_frames(VisitCallFrame visit, void* data);

}  // namespace gondwana
