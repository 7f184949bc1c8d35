#include "process/freeze.hpp"

#include "core/gasnet_variables.hpp"
#include "front/gasnet/tools/environment.hpp"
#include "gasnet_tools.h"

using namespace gondwana::gasnet::tools;

void gasnett_freezeForDebuggerNow(volatile int* flag, const char* name) {
  gondwana::freeze_on(*flag, name);
}

void gasnett_freezeForDebuggerErr() {
  if (is_on(gondwana::gasnet::freeze_on_error_setting.name) || is_on("GONDWANA_FREEZE_ON_ERROR"))
    gondwana::freeze();
}
