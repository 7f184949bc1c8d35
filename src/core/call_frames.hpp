// The stack frames of the calling thread.
#pragma once

#include <cstdint>

namespace gondwana {

struct CallFrame {
  std::uintptr_t address = 0;      // of its call of the inner function, or of the signal
  std::uintptr_t stack_begin = 0;  // of its variables; its caller's lie above
};

using VisitCallFrame = bool (*)(void* data, const CallFrame& frame);

// Visits frames from the innermost on, until `visit` returns false. Allocates nothing.
void visit_call_frames(VisitCallFrame visit, void* data);

}  // namespace gondwana
