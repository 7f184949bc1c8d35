#include "process/freeze.hpp"

#include "front/gasnet/tools/environment.hpp"
#include "gasnet_tools.h"

using namespace gondwana::gasnet::tools;

void gasnett_freezeForDebuggerNow(volatile int* flag, const char* name) {
  gondwana::freeze_on(*flag, name);
}

void gasnett_freezeForDebuggerErr() {
  if (is_on(gondwana::VariableId::gondwana_freeze_on_error)) gondwana::freeze();
}
