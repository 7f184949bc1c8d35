/* A program of ARMCI: rank 1 dies, and the others wait for it. With an argument, all wait for the
 * end of standard input instead. */
#include <signal.h>
#include <stdio.h>

#include "../armci/job.h"

int main(int count, char** words) {
  const int waits = count > 1;
  job_start(&count, &words, 0);
  if (waits) {
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF) {
    }
  } else if (job_me == 1) {
    raise(SIGKILL);
  }
  ARMCI_Barrier();
  return job_end();
}
