// A master and workers: the ways to place queens on a chessboard so that none attacks another. The
// job starts with one rank, starts workers while more tasks wait than they can do, and each worker
// leaves when there is nothing left to do.
//
// A task is a board whose first rows are filled. The tasks are a list on rank 0: a worker takes the
// next one by compare-and-swap. It adds a task for each way to fill the next row, or counts the
// solutions if few rows are left. Run it as gondwana run --max-ranks 8 -n 1 tasks
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arguments.h"

enum { most_tasks = 1 << 16, bits = 4, max_size = 12 };

// On rank 0. A task has its rows in its low bits, and the number of its rows from bit 56 on,
// plus 1.
static uint64_t tasks[most_tasks];  // 0: not written yet
static uint64_t added, taken;       // tasks
static uint64_t unfinished;         // tasks that are not done
static uint64_t solutions;
static uint64_t helped;  // workers that have done at least one task

static int size, last_rows;

static uint64_t task_of(uint64_t rows, int count) {
  return rows | (uint64_t)(count + 1) << 56;
}

static int attacks(uint64_t rows, int count, int column) {
  for (int row = 0; row < count; ++row) {
    const int other = (int)(rows >> (bits * row) & 15);
    const int apart = count - row;
    if (other == column || other == column - apart || other == column + apart) return 1;
  }
  return 0;
}

static uint64_t count_solutions(uint64_t rows, int count) {
  if (count == size) return 1;
  uint64_t sum = 0;
  for (int column = 0; column < size; ++column)
    if (!attacks(rows, count, column))
      sum += count_solutions(rows | (uint64_t)column << (bits * count), count + 1);
  return sum;
}

static void add_task(uint64_t task) {
  shmem_uint64_atomic_inc(&unfinished, 0);
  const uint64_t place = shmem_uint64_atomic_fetch_inc(&added, 0);
  if (place >= most_tasks) {
    fprintf(stderr, "tasks: more than %d tasks\n", most_tasks);
    shmem_global_exit(1);
  }
  shmem_uint64_atomic_set(&tasks[place], task, 0);
}

// Returns 0 if no task waits.
static uint64_t take_task(void) {
  for (;;) {
    const uint64_t place = shmem_uint64_atomic_fetch(&taken, 0);
    if (place >= shmem_uint64_atomic_fetch(&added, 0)) return 0;
    if (shmem_uint64_atomic_compare_swap(&taken, place, place + 1, 0) != place) continue;
    uint64_t task;
    while ((task = shmem_uint64_atomic_fetch(&tasks[place], 0)) == 0) {
    }
    return task;
  }
}

static void do_task(uint64_t task) {
  const int count = (int)(task >> 56) - 1;
  const uint64_t rows = task & ((uint64_t)1 << 56) - 1;
  if (size - count <= last_rows) {
    shmem_uint64_atomic_add(&solutions, count_solutions(rows, count), 0);
  } else {
    for (int column = 0; column < size; ++column)
      if (!attacks(rows, count, column))
        add_task(task_of(rows | (uint64_t)column << (bits * count), count + 1));
  }
  shmem_quiet();  // before the task counts as done
  shmem_uint64_atomic_add(&unfinished, (uint64_t)-1, 0);
}

// Does tasks until none is left anywhere, and leaves.
static void work(void) {
  for (int done = 0; shmem_uint64_atomic_fetch(&unfinished, 0) != 0;) {
    const uint64_t task = take_task();
    if (task == 0) {
      usleep(100);
      continue;
    }
    if (done++ == 0) shmem_uint64_atomic_inc(&helped, 0);
    do_task(task);
  }
  if (shmemx_leave() != 0) shmem_global_exit(1);
  exit(0);
}

// Does tasks, too, and starts workers while many wait. Returns the number of workers.
static int lead(int most_workers) {
  int workers = 0;
  add_task(task_of(0, 0));
  while (shmem_uint64_atomic_fetch(&unfinished, 0) != 0) {
    const uint64_t waiting = shmem_uint64_atomic_fetch(&added, 0) - taken;
    if (workers < most_workers && waiting > 2 * (uint64_t)workers) {
      if (shmemx_spawn(1, NULL, NULL) < 0) shmem_global_exit(1);
      ++workers;
    }
    const uint64_t task = take_task();
    if (task != 0) do_task(task);
  }
  return workers;
}

int main(int argc, char** argv) {
  static const uint64_t known[max_size + 1] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
  shmem_init();
  struct argument table[] = {
      {"--size", "rows and columns of the board", WHOLE_NUMBER, 1, max_size, 10, NULL},
      {"--workers", "the most workers", WHOLE_NUMBER, 0, 1000, 3, NULL},
      {"--last-rows", "rows that one task fills alone", WHOLE_NUMBER, 1, max_size, 6, NULL}};
  read_arguments("Queens on a chessboard, by workers that come and go.", table, 3, argc, argv);
  size = (int)table[0].number;
  last_rows = (int)table[2].number;
  if (shmem_my_pe() >= shmem_team_n_pes(SHMEM_TEAM_WORLD)) work();
  int correct = 1;
  if (shmem_my_pe() == 0) {
    const int workers = lead((int)table[1].number);
    // All have left before the result is complete at the user.
    for (int worker = shmem_n_pes(); worker < shmem_n_pes() + workers; ++worker)
      while (shmemx_pe_state(worker) == SHMEMX_PE_ALIVE)
        shmemx_roster_wait(shmemx_roster_epoch(), 1000);
    correct = solutions == known[size];
    printf("%d queens: %llu solutions, %llu tasks, %d workers of which %llu had work: %s\n", size,
           (unsigned long long)solutions, (unsigned long long)added, workers,
           (unsigned long long)helped, correct ? "correct" : "WRONG");
  }
  shmem_finalize();
  return correct ? 0 : 1;
}
