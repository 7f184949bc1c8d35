// Heat along a rod whose ranks, node agents and hosts die, while the ranks are started again:
//
//   gondwana run --restart 100 --keep-memory -n 4 mortal_stencil
//   gondwana run --restart 100 --keep-memory --hosts a:2,b:2 mortal_stencil
//
// Each rank has two copies of its cells, for even and for odd steps, and the number of the last
// step that is complete. They survive its process, so the next process goes on with the step in
// which the last one died. If the host is lost, they are lost, too. So a rank also keeps them at a
// rank of another half of the job, before others know that the step is complete. It says when they
// are there again after a loss: until then, a second loss ends the job.
//
// Ranks read the cells at the edges of their neighbours; nobody is sent anything, so nothing is
// lost with a rank. A copy is overwritten two steps later, when both neighbours have completed the
// step between and have read it.
#include <shmem.h>
#include <shmemx.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arguments.h"

enum { most_cells = 10000 };

// The cells after a step. The step goes with them, so that nobody takes cells that have not arrived
// for those of that step.
struct copy {
  long step;
  double cells[most_cells + 2];
};

// The cells after even and after odd steps, and the last complete step.
struct part {
  struct copy copies[2];
  long done;
};

static struct part mine;
static struct part kept;     // of another rank; `done` is one more: 0 means nothing
static long has_begun;       // 0: the memory of this rank is new
static long deaths;          // of this rank
static int keeper_restarts;  // of the keeper that has everything

static long length, steps, every;

static int keeper(void) {
  return (shmem_my_pe() + shmem_n_pes() / 2) % shmem_n_pes();
}

static void nap(void) {
  nanosleep(&(struct timespec){0, 20000}, NULL);
}

// Whether the calls since the last question have reached their ranks.
static int arrived(void) {
  return shmemx_status(SHMEM_CTX_DEFAULT) == 0;
}

// The cell next to this rank's part in the neighbour's part, once that has completed the step. Both
// answers must be of one process: the next one may have new memory.
static double edge_of(int pe, long step, long place) {
  for (;; nap()) {
    const int restarts = shmemx_pe_restarts(pe);
    const long there = shmem_long_atomic_fetch(&mine.done, pe);
    if (!arrived() || there < step) continue;
    const double value = shmem_double_g(&mine.copies[step % 2].cells[place], pe);
    if (arrived() && shmemx_pe_restarts(pe) == restarts) return value;
  }
}

static void tell(const char* what) {
  printf("rank %d %s rank %d, restarted %d times\n", shmem_my_pe(), what, keeper(),
         keeper_restarts);
  fflush(stdout);
}

// Keeps the cells after this step and, if the keeper has lost what it had, after the one before.
static void keep(long step) {
  const size_t bytes = offsetof(struct copy, cells) + ((size_t)length + 2) * sizeof(double);
  int all = 0;
  for (;; nap()) {
    const int restarts = shmemx_pe_restarts(keeper());
    all = all || restarts != keeper_restarts;
    for (long each = all && step > 0 ? step - 1 : step; each <= step; ++each)
      shmem_putmem(&kept.copies[each % 2], &mine.copies[each % 2], bytes, keeper());
    shmem_quiet();
    shmem_long_atomic_set(&kept.done, step + 1, keeper());
    shmem_quiet();
    if (arrived() && shmemx_pe_restarts(keeper()) == restarts) {
      keeper_restarts = restarts;
      break;
    }
    all = 1;
  }
  if (all) tell("keeps its cells again at");
}

// Whether the cells after this step are there, and those after the one before, which a neighbour
// may need unless the next step has begun to replace them.
static int has_cells_of(long step) {
  if (step < 0 || mine.copies[step % 2].step != step) return 0;
  const long other = mine.copies[(step + 1) % 2].step;
  return step == 0 || other == step - 1 || other == step + 1;
}

// The keeper has kept the last complete step, or the one after it.
static void fetch(void) {
  for (;; nap()) {
    shmem_getmem(&mine.copies, &kept.copies, sizeof mine.copies, keeper());
    const long step = shmem_long_g(&kept.done, keeper()) - 1;
    if (!arrived()) continue;
    if (!has_cells_of(step)) {
      tell("has lost its cells, as has");
      shmem_global_exit(2);
    }
    shmem_long_atomic_set(&mine.done, step, shmem_my_pe());
    tell("has its cells from");
    return;
  }
}

// Cells beyond the ends of the rod are cold.
static void advance(void) {
  const int me = shmem_my_pe();
  const long done = mine.done;
  double* now = mine.copies[done % 2].cells;
  double* next = mine.copies[(done + 1) % 2].cells;
  now[0] = me > 0 ? edge_of(me - 1, done, length) : 0;
  now[length + 1] = me + 1 < shmem_n_pes() ? edge_of(me + 1, done, 1) : 0;
  for (long i = 1; i <= length; ++i) next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
  mine.copies[(done + 1) % 2].step = done + 1;
  keep(done + 1);
  shmem_long_atomic_set(&mine.done, done + 1, me);
}

// Each rank dies at other steps.
static void die_sometimes(void) {
  const long at = every * (deaths * shmem_n_pes() + shmem_my_pe() + 1);
  if (every == 0 || mine.done < at || at >= steps) return;
  ++deaths;
  raise(SIGKILL);
}

static double begin_of(long place) {
  return place % 7 == 3 ? 1000 : 0;
}

// The whole rod, computed by one rank.
static double* expected(long total) {
  double* now = calloc((size_t)total + 2, sizeof *now);
  double* next = calloc((size_t)total + 2, sizeof *next);
  for (long i = 0; i < total; ++i) now[i + 1] = begin_of(i);
  for (long step = 0; step < steps; ++step) {
    for (long i = 1; i <= total; ++i)
      next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
    double* other = now;
    now = next;
    next = other;
  }
  free(next);
  return now;
}

static int is_right(void) {
  const int ranks = shmem_n_pes();
  double* right = expected(length * ranks);
  int wrong = 0;
  for (int pe = 0; pe < ranks; ++pe)
    for (long i = 1; i <= length; ++i) wrong += edge_of(pe, steps, i) != right[pe * length + i];
  free(right);
  return wrong == 0;
}

int main(int argc, char** argv) {
  shmem_init();
  struct argument table[] = {
      {"--cells", "cells of each rank", WHOLE_NUMBER, 1, most_cells, 1000, NULL},
      {"--steps", "steps", WHOLE_NUMBER, 1, 1e9, 20000, NULL},
      {"--every", "steps from a death to the next one; 0: nobody dies", WHOLE_NUMBER, 0, 1e9, 0,
       NULL}};
  read_arguments("A stencil whose ranks die and go on.", table, 3, argc, argv);
  length = (long)table[0].number;
  steps = (long)table[1].number;
  every = (long)table[2].number;

  if (shmemx_is_restarted() == 0) {
    for (long i = 0; i < length; ++i)
      mine.copies[0].cells[i + 1] = begin_of(shmem_my_pe() * length + i);
    shmem_barrier_all();
    keep(0);
    shmem_barrier_all();
  } else if (!has_begun) {
    fetch();
  }
  has_begun = 1;
  while (mine.done < steps) {
    advance();
    die_sometimes();
  }
  int status = 0;
  if (shmem_my_pe() == 0) {
    int restarts = 0;
    status = !is_right();
    for (int pe = 0; pe < shmem_n_pes(); ++pe) restarts += shmemx_pe_restarts(pe);
    printf("%ld steps, %d restarts: %s\n", steps, restarts, status == 0 ? "right" : "WRONG");
  }
  shmem_finalize();
  return status;
}
