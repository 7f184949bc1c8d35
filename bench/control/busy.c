// Keeps one processor busy without communicating: the load of the busy rows. Ends with the process
// that started it, or after SECONDS.
//
// Usage: busy [SECONDS]
#include "../common/measure.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm((unsigned)argument(argc, argv, 1, 60));
  for (volatile uint64_t turns = 0;; ++turns) continue;
}
