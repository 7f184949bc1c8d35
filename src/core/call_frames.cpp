#include "core/call_frames.hpp"

#include <unwind.h>

namespace gondwana {
namespace {

struct Walk {
  VisitCallFrame visit;
  void* data;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  const Walk& walk = *static_cast<Walk*>(data);
  int is_interrupted = 0;
  const std::uintptr_t place = _Unwind_GetIPInfo(context, &is_interrupted);
  if (place == 0) return _URC_END_OF_STACK;
  const CallFrame frame{is_interrupted != 0 ? place : place - 1, _Unwind_GetCFA(context)};
  return walk.visit(walk.data, frame) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

void visit_call_frames(VisitCallFrame visit, void* data) {
  Walk walk{visit, data};
  _Unwind_Backtrace(step, &walk);
}

}  // namespace gondwana
