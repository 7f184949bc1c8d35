#include "front/gasnet/tools/freeze.hpp"

#include <time.h>
#include <unistd.h>

#include "core/gasnet_variables.hpp"
#include "front/gasnet/tools/environment.hpp"
#include "front/gasnet/tools/message.hpp"
#include "gasnet_tools.h"

// Not 0 while this process waits. A debugger finds it by this name, whatever was stripped.
extern "C" {
volatile int gondwana_gasnett_frozen = 0;
}

namespace gondwana::gasnet::tools {

void freeze() {
  gasnett_freezeForDebuggerNow(&gondwana_gasnett_frozen, "gondwana_gasnett_frozen");
}

}  // namespace gondwana::gasnet::tools

using namespace gondwana::gasnet::tools;

void gasnett_freezeForDebuggerNow(volatile int* flag, const char* name) {
  const auto self = static_cast<int>(getpid());
  say("process %d on %s waits for a debugger: gdb -p %d, then \"set var %s = 0\" and \"continue\"",
      self, gasnett_gethostname(), self, name);
  *flag = 1;
  constexpr timespec tenth_of_a_second{0, 100'000'000};
  while (*flag != 0) nanosleep(&tenth_of_a_second, nullptr);
}

void gasnett_freezeForDebuggerErr() {
  if (is_on(gondwana::gasnet::freeze_on_error_setting.name)) freeze();
}
