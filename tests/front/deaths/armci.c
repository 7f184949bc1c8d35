/* Rank 1 of a program of ARMCI dies, and the others wait for it. */
#include <signal.h>

#include "../armci/job.h"

int main(int count, char** words) {
  job_start(&count, &words, 0);
  if (job_me == 1) raise(SIGKILL);
  ARMCI_Barrier();
  return job_end();
}
