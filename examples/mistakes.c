// Common mistakes, each by its name: gondwana run -n 4 ./mistakes wrong_rank
// docs/first_hour.md shows what appears then, and what to do.
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long table[64];
static long flag;
static long counter;
static long lock;
static int me;
static int ranks;

// Wrong places.

static void wrong_rank(void) {
  shmem_long_p(&counter, 1, me + 1);  // the last rank has no neighbour
}

static void stack(void) {
  long result = 0;
  shmem_long_put(&result, table, 1, (me + 1) % ranks);
}

static void heap_of_c(void) {
  long* results = malloc(100 * sizeof *results);
  shmem_long_put(results, table, 64, (me + 1) % ranks);
  free(results);
}

static void constant(void) {
  static const char greeting[] = "good morning";
  shmem_putmem((void*)greeting, "hello", 6, (me + 1) % ranks);
}

static void thread_local_variable(void) {
  static _Thread_local long mine;
  shmem_long_p(&mine, me, (me + 1) % ranks);
}

static void local_pointer(void) {
  long* theirs = shmem_ptr(table, (me + 1) % ranks);
  shmem_long_p(theirs, me, (me + 1) % ranks);  // it is the address of table that a put wants
}

static void null_pointer(void) {
  long* block = NULL;
  shmem_long_p(block, me, (me + 1) % ranks);
}

// Wrong sizes.

static void past_heap(void) {
  long* block = shmem_malloc(1000 * sizeof *block);
  shmem_long_put(block, block, 1000L * 1000 * 1000, (me + 1) % ranks);
}

static void past_block(void) {
  long* block = shmem_calloc(10, sizeof *block);
  shmem_long_put(block, table, 20, (me + 1) % ranks);
  shmem_free(block);
}

static void past_variable(void) {
  static long pair[2];
  const int next = (me + 1) % ranks;
  shmem_barrier_all();
  shmem_long_put(pair, table, 4, next);
}

static void store_past_block(void) {
  char* block = shmem_malloc(100);
  memset(block, 0, 200);  // no call of the library, so Gondwana does not see it
  shmem_free(block);
}

static void negative_size(void) {
  const int count = (int)sizeof table / 8 - 100;
  shmem_long_put(table, table, (size_t)count, (me + 1) % ranks);
}

static void other_malloc(void) {
  long* block = shmem_malloc(me == 0 ? 800 : 400);
  shmem_free(block);
}

static void heap_full(void) {
  long* block = shmem_malloc((size_t)1 << 40);
  block[0] = me;
  shmem_barrier_all();
}

static void other_reduce(void) {
  static long sums[64];
  const size_t count = me == 0 ? 64 : 32;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sums, table, count);
}

// Blocks of the heap.

static void use_after_free(void) {
  long* block = shmem_malloc(1000 * sizeof *block);
  shmem_free(block);
  shmem_long_put(block, table, 64, (me + 1) % ranks);
}

static void free_twice(void) {
  long* block = shmem_malloc(sizeof *block);
  shmem_free(block);
  shmem_free(block);
}

static void free_of_malloc(void) {
  long* block = malloc(sizeof *block);
  shmem_free(block);
}

// Ranks that wait.

static void missing_barrier(void) {
  if (me == 3) {
    for (;;) continue;
  }
  shmem_barrier_all();
}

static void missing_member(void) {
  if (me != 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &counter, &flag, 1);
}

static void other_collective(void) {
  if (me == 0)
    shmem_long_broadcast(SHMEM_TEAM_WORLD, table, table, 64, 0);
  else
    shmem_barrier_all();
}

static void other_root(void) {
  shmem_long_broadcast(SHMEM_TEAM_WORLD, table, table, 64, me == 0 ? 0 : 1);
}

static void two_locks(void) {
  static long locks[2];
  if (me < 2) shmem_set_lock(&locks[me]);
  shmem_barrier_all();
  if (me < 2) shmem_set_lock(&locks[1 - me]);
}

static void kept_lock(void) {
  shmem_set_lock(&lock);
  ++counter;  // shmem_clear_lock was forgotten
  shmem_barrier_all();
}

static void used_lock(void) {
  static long mutex = -1;  // a lock has to be 0 at first
  shmem_set_lock(&mutex);
  shmem_clear_lock(&mutex);
}

static void clear_without_set(void) {
  shmem_clear_lock(&lock);
}

static void nobody_writes(void) {
  shmem_long_p(&flag, 1, me);  // to itself, and not to the neighbour
  if (me == 3) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 2);
}

static void endless_test(void) {
  if (me != 0) return;
  while (!shmem_long_test(&flag, SHMEM_CMP_EQ, 1)) continue;
}

static void endless_loop(void) {
  if (me == 0)
    while (flag == 0) continue;  // the compiler may read it once; shmem_long_wait_until does not
}

// No message: the program ends, and sometimes its result is wrong.

static void lost_update(void) {
  shmem_barrier_all();
  for (int i = 0; i < 10000; ++i) shmem_long_p(&counter, shmem_long_g(&counter, 0) + 1, 0);
  shmem_barrier_all();
  if (me == 0) printf("%ld of %d were counted\n", counter, ranks * 10000);
}

static void forgotten_fence(void) {
  const int next = (me + 1) % ranks;
  for (int i = 0; i < 64; ++i) table[i] = i;
  shmem_long_put_nbi(table, table, 64, next);
  shmem_long_p(&flag, 1, next);  // nothing orders it behind the put
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  printf("the last is %ld\n", table[63]);
}

// Teams, contexts, threads, active sets.

static void wrong_team(void) {
  shmem_team_t half = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, ranks / 2, NULL, 0, &half);
  shmem_long_sum_reduce(half, &counter, &flag, 1);  // not all ranks are in it
}

static void rank_of_other_team(void) {
  shmem_team_t half = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 2, 1, 2, NULL, 0, &half);
  if (me >= 2) shmem_long_broadcast(half, table, table, 64, 2);  // roots count from 0 in each team
}

static void wrong_context(void) {
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  shmem_ctx_create(0, &context);
  shmem_ctx_destroy(context);
  shmem_ctx_long_p(context, &counter, 1, (me + 1) % ranks);
}

static void* put_from_thread(void* nothing) {
  shmem_long_p(&counter, 1, (me + 1) % ranks);
  return nothing;
}

static void threads(void) {
  pthread_t thread;  // shmem_init allows one thread alone
  if (pthread_create(&thread, NULL, put_from_thread, NULL) == 0) pthread_join(thread, NULL);
}

static void wrong_active_set(void) {
  static long psync[SHMEM_REDUCE_SYNC_SIZE];
  static long pwrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
  shmem_long_sum_to_all(&counter, &flag, 1, 0, 1, ranks, pwrk, psync);  // every second rank
}

// Beginnings and ends.

static void no_init(void) {
  shmem_barrier_all();
}

static void after_finalize(void) {
  shmem_finalize();
  shmem_long_p(&counter, 1, 0);
}

static void crash(void) {
  long* list = NULL;
  if (me == 2) list[me] = 1;  // NOLINT: that is the mistake
  shmem_barrier_all();
}

static void division(void) {
  if (me == 2) table[0] = 64 / (me - 2);  // NOLINT: that is the mistake
  shmem_barrier_all();
}

static void aborts(void) {
  if (me == 2) abort();
  shmem_barrier_all();
}

static void exit_of_one(void) {
  if (me == 2) exit(3);
  shmem_barrier_all();
}

static void return_of_one(void) {
  if (me == 2) exit(0);
  shmem_barrier_all();
}

static void global_exit(void) {
  if (me == 2) shmem_global_exit(5);
  shmem_barrier_all();
}

static const struct {
  const char* name;
  void (*make)(void);
} mistakes[] = {
    {"wrong_rank", wrong_rank},
    {"stack", stack},
    {"heap_of_c", heap_of_c},
    {"constant", constant},
    {"thread_local_variable", thread_local_variable},
    {"local_pointer", local_pointer},
    {"null_pointer", null_pointer},
    {"past_heap", past_heap},
    {"past_block", past_block},
    {"past_variable", past_variable},
    {"store_past_block", store_past_block},
    {"negative_size", negative_size},
    {"other_malloc", other_malloc},
    {"heap_full", heap_full},
    {"other_reduce", other_reduce},
    {"use_after_free", use_after_free},
    {"free_twice", free_twice},
    {"free_of_malloc", free_of_malloc},
    {"missing_barrier", missing_barrier},
    {"missing_member", missing_member},
    {"other_collective", other_collective},
    {"other_root", other_root},
    {"two_locks", two_locks},
    {"kept_lock", kept_lock},
    {"used_lock", used_lock},
    {"clear_without_set", clear_without_set},
    {"nobody_writes", nobody_writes},
    {"endless_test", endless_test},
    {"endless_loop", endless_loop},
    {"lost_update", lost_update},
    {"forgotten_fence", forgotten_fence},
    {"wrong_team", wrong_team},
    {"rank_of_other_team", rank_of_other_team},
    {"wrong_context", wrong_context},
    {"threads", threads},
    {"wrong_active_set", wrong_active_set},
    {"no_init", no_init},
    {"after_finalize", after_finalize},
    {"crash", crash},
    {"division", division},
    {"aborts", aborts},
    {"exit_of_one", exit_of_one},
    {"return_of_one", return_of_one},
    {"global_exit", global_exit},
};

int main(int argc, char** argv) {
  const size_t count = sizeof mistakes / sizeof mistakes[0];
  size_t chosen = 0;
  while (chosen < count && (argc != 2 || strcmp(argv[1], mistakes[chosen].name) != 0)) ++chosen;
  if (chosen == count) {
    puts("usage: gondwana run -n 4 ./mistakes NAME, where NAME is one of");
    for (size_t i = 0; i < count; ++i) printf("  %s\n", mistakes[i].name);
    return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
  }
  if (mistakes[chosen].make != no_init) {
    shmem_init();
    me = shmem_my_pe();
    ranks = shmem_n_pes();
  }
  mistakes[chosen].make();
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
