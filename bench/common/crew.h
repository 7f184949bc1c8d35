// A crew: n processes over one shared mapping, the smallest thing that resembles a job.
#ifndef GONDWANA_BENCH_CREW_H_
#define GONDWANA_BENCH_CREW_H_

#include "measure.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Zeroed pages that children share.
static inline void* shared_pages(size_t bytes) {
  void* pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) fail_with_errno("mmap of shared pages");
  return pages;
}

// Returns the rank of the calling process: 0 in the caller, 1 .. n-1 in its children, which die
// with it. Rank 0 must call end_crew, the others _exit.
static inline int start_crew(int n) {
  const pid_t captain = getpid();
  int rank = 0;
  for (int child = 1; child < n; ++child) {
    const pid_t pid = fork();
    if (pid < 0) fail_with_errno("fork");
    if (pid > 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != captain) _exit(1);
    rank = child;
    break;
  }
  enter_job(rank, n, exit);
  return rank;
}

static inline void end_crew(int rank) {
  if (rank != 0) _exit(0);
  while (wait(NULL) > 0) continue;
}

#endif
