// Threads of rank 0 put 8 bytes to rank 1, each through its own private context and to its own
// line: the time per put of all together ("ours"), compared with one of them alone ("control").
// Rank 1 leaves its processor to them. Usage: threads [THREADS]
#include "../common/barriers.h"
#include "../common/shmem_job.h"

#include <pthread.h>

enum { BATCHES = 40, OPS = 100000, MOST_THREADS = 16, RANK_1_LOOKS_EVERY_US = 1000 };

struct cell {
  _Alignas(LINE_PAIR) long value;
};

struct team {
  struct central_barrier barrier;
  uint32_t threads;
  struct cell* cells;  // symmetric, one per thread
  double* together_ns;
  double* alone_ns;
};

struct member {
  struct team* team;
  uint32_t number;
};

static void meet(struct team* team) {
  central_wait(&team->barrier, team->threads, usual_wait((int)team->threads));
}

static void put_all(shmem_ctx_t context, long* cell) {
  for (long i = 1; i <= OPS; ++i) shmem_ctx_put64(context, cell, &i, 1, 1);
  shmem_ctx_quiet(context);
}

// Runs thread 0 alone, then all threads, repeatedly; thread 0 measures the time.
static void run_batches(struct team* team, uint32_t number, shmem_ctx_t context) {
  long* cell = &team->cells[number].value;
  for (int i = 0; i < BATCHES; ++i) {
    meet(team);
    const int64_t start = now_ns();
    if (number == 0) put_all(context, cell);
    meet(team);
    const int64_t middle = now_ns();
    put_all(context, cell);
    meet(team);
    if (number != 0) continue;
    team->alone_ns[i] = ns_per_op(middle - start, OPS);
    team->together_ns[i] = ns_per_op(now_ns() - middle, (size_t)team->threads * OPS);
  }
}

static void* work(void* argument) {
  const struct member* member = argument;
  pin_if_asked((int)member->number);
  shmem_ctx_t context;
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &context) != 0)
    fail("no context for thread %u", member->number);
  run_batches(member->team, member->number, context);
  shmem_ctx_destroy(context);
  return NULL;
}

static void run_threads(struct team* team) {
  pthread_t threads[MOST_THREADS] = {0};
  struct member members[MOST_THREADS] = {{team, 0}};
  for (uint32_t i = 0; i < team->threads; ++i) {
    members[i] = (struct member){team, i};
    if (i > 0 && pthread_create(&threads[i], NULL, work, &members[i]) != 0)
      fail("thread %u does not start", i);
  }
  work(&members[0]);
  for (uint32_t i = 1; i < team->threads; ++i) pthread_join(threads[i], NULL);
}

static void check(const struct team* team) {
  for (uint32_t i = 0; i < team->threads; ++i) {
    if (shmem_long_g(&team->cells[i].value, 1) != OPS)
      fail("the last value that thread %u has put is not there", i);
  }
}

int main(int argc, char** argv) {
  const size_t wanted = argument(argc, argv, 1, 2);
  start_shmem_threads_unpinned();
  struct team team = {.threads = (uint32_t)(wanted < MOST_THREADS ? wanted : MOST_THREADS)};
  team.cells = allocate_aligned(LINE_PAIR, MOST_THREADS * sizeof *team.cells);
  int* done = allocate_symmetric(sizeof *done);
  if (me == 0) {
    team.together_ns = new_samples(BATCHES);
    team.alone_ns = new_samples(BATCHES);
    run_threads(&team);
    check(&team);
    report_both(1, team.together_ns, team.alone_ns, BATCHES, "threads_%u", team.threads);
    shmem_int_p(done, 1, 1);
  } else {
    while (!shmem_int_test(done, SHMEM_CMP_EQ, 1)) usleep(RANK_1_LOOKS_EVERY_US);
  }
  end_shmem();
}
