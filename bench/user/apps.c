// The programs of `gondwana bench apps`. In each round rank 0 does the work alone while the others
// wait; then all ranks do it together. Rank 0 prints a line for each round: program, ranks,
// nanoseconds of all ranks together, nanoseconds of rank 0 alone. Only names of OpenSHMEM 1.4 are
// used, so that other libraries can compile it.
//
// Usage: apps apps ROUNDS
#include "apps/heat.h"
#include "apps/histogram.h"
#include "apps/matrix.h"
#include "apps/sort.h"
#include "apps/work_queue.h"

static const struct app apps[] = {
    {"heat", begin_heat, heat, serial_heat, is_heated, end_heat},
    {"histogram", begin_histogram, histogram, serial_histogram, is_counted, end_histogram},
    {"sort", begin_sort, sort_keys, serial_sort, is_sorted, end_sort},
    {"work_queue", begin_work_queue, work_queue, serial_work_queue, is_drawn, end_work_queue},
    {"matrix", begin_matrix, matrix, serial_matrix, is_product, end_matrix},
};

static double time_of_all(void (*run)(void)) {
  shmem_barrier_all();
  const int64_t start = now_ns();
  run();
  shmem_barrier_all();
  return (double)(now_ns() - start);
}

static double time_of_one(void (*run)(void)) {
  const int64_t start = now_ns();
  if (me == 0) run();
  const double ns = (double)(now_ns() - start);
  shmem_barrier_all();
  return ns;
}

static void measure(const struct app* app, size_t rounds) {
  app->begin();
  shmem_barrier_all();
  app->serial();
  time_of_all(app->parallel);
  require(app->is_right(), "a program has another result than one process alone");
  for (size_t round = 0; round < rounds; ++round) {
    shmem_barrier_all();
    const double alone = time_of_one(app->serial);
    const double together = time_of_all(app->parallel);
    if (me == 0) print_round(app->name, (size_t)ranks, together, alone);
  }
  shmem_barrier_all();
  app->end();
}

int main(int argc, char** argv) {
  const size_t rounds = argument(argc, argv, 2, 20);
  begin_job();
  for (size_t i = 0; i < sizeof apps / sizeof *apps; ++i) measure(&apps[i], rounds);
  end_shmem();
}
