#include "process/freeze.hpp"

#include <time.h>
#include <unistd.h>

#include "core/host_name.hpp"
#include "process/message.hpp"

// Nonzero while this process waits. A debugger finds it by this name even in a stripped library,
// but without its type.
extern "C" {
volatile int gondwana_frozen = 0;
}

namespace gondwana {

void freeze() {
  freeze_on(gondwana_frozen, "*(int*)&gondwana_frozen");
}

void freeze_on(volatile int& flag, const char* name) {
  const auto self = static_cast<int>(::getpid());
  say("process %d on %s waits for a debugger: gdb -p %d, then \"set var %s = 0\" and \"continue\"",
      self, host_name().data(), self, name);
  flag = 1;
  constexpr timespec tenth_of_a_second{0, 100'000'000};
  while (flag != 0) ::nanosleep(&tenth_of_a_second, nullptr);
}

}  // namespace gondwana
