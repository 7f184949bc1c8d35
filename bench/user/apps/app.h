// A small program of `gondwana bench apps`: the same work is done by all ranks and by one process
// alone.
#ifndef GONDWANA_BENCH_APP_H_
#define GONDWANA_BENCH_APP_H_

#include "../whole_job.h"

struct app {
  const char* name;
  void (*begin)(void);  // allocates memory; called by all ranks
  void (*parallel)(void);
  void (*serial)(void);   // writes to private memory
  int (*is_right)(void);  // called after both: compares the results that this rank has
  void (*end)(void);
};

// The first item of the share of `rank` in `total` items.
static inline long first_of(long total, int rank) {
  return total * rank / ranks;
}

#endif
