// A small program of `gondwana bench apps`: the same work by all ranks and by one process alone.
#ifndef GONDWANA_BENCH_APP_H_
#define GONDWANA_BENCH_APP_H_

#include "../whole_job.h"

struct app {
  const char* name;
  void (*begin)(void);  // allocates, by all ranks
  void (*parallel)(void);
  void (*serial)(void);   // to private memory
  int (*is_right)(void);  // after both: they have the same result, as far as this rank has it
  void (*end)(void);
};

// The part of a rank in `total` items.
static inline long first_of(long total, int rank) {
  return total * rank / ranks;
}

#endif
