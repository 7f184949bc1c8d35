/* A rank of a job that continues after deaths: survive MODE [ARGUMENTS]. Each mode prints what it
 * has seen, and fails with a message. */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shmem.h"
#include "shmemx.h"

static long word;
static long results[64];
static long lock;
static const size_t piece = (size_t)16 << 20; /* of a remote heap */

static void fail(const char* format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(stderr, "survive: rank %d: ", shmem_my_pe());
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  _exit(9);
}

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void ready(void) {
  shmem_barrier_all();
  puts("ready");
  fflush(stdout);
}

static void die(void) {
  raise(SIGKILL);
}

/* Until this PE knows of the death, without a call that waits. */
static void await_death(int pe) {
  while (shmemx_pe_state(pe) != SHMEMX_PE_DEAD) usleep(100);
}

/* Reductions of a team until it has `expected` members and one more succeeds. Prints the members of
 * each team. */
static void shrink_to(int expected) {
  shmem_team_t team = SHMEM_TEAM_WORLD;
  static long mine = 1;
  static long sum;
  ready();
  for (int turn = 0;;) {
    const int failed = shmem_long_sum_reduce(team, &sum, &mine, 1);
    const int size = shmem_team_n_pes(team);
    if (failed == 0 && sum != size) fail("the sum is %ld of %d members", sum, size);
    if (failed == 0 && size == expected) break;
    if (failed == 0) continue;
    if (failed != SHMEMX_ERR_DEAD_PE) fail("the reduction returned %d", failed);
    if (shmemx_status(SHMEM_CTX_DEFAULT) != SHMEMX_ERR_DEAD_PE) fail("the failure left no status");
    shmem_team_t living;
    if (shmemx_team_shrink(team, &living) != 0) fail("no team");
    printf("turn %d:", ++turn);
    for (int i = 0; i < shmem_team_n_pes(living); ++i)
      printf(" %d", shmem_team_translate_pe(living, i, SHMEM_TEAM_WORLD));
    puts("");
    fflush(stdout);
    team = living;
  }
  puts("end");
}

/* The last PE dies, and the others call everything that needs it. */
static void call_dead(void) {
  const int me = shmem_my_pe();
  const int dead = shmem_n_pes() - 1;
  shmem_ctx_t context;
  if (shmem_ctx_create(0, &context) != 0) fail("no context");
  ready();
  if (me == dead) die();
  await_death(dead);
  if (shmemx_pe_state(me) != SHMEMX_PE_ALIVE || shmemx_pe_state(dead + 1) != -1) fail("state");
  if (shmemx_status(SHMEM_CTX_DEFAULT) != 0) fail("a status before any call");
  shmem_long_p(&word, 7, dead);
  if (shmemx_status(context) != 0) fail("the status of another context");
  if (shmemx_status(SHMEM_CTX_DEFAULT) != SHMEMX_ERR_DEAD_PE) fail("p succeeded");
  if (shmemx_status(SHMEM_CTX_DEFAULT) != 0) fail("a status was read twice");
  const long* theirs = shmem_ptr(&word, dead);
  if (theirs != NULL && *theirs != 0) fail("p has written");
  shmem_ctx_long_put(context, &word, results, 1, dead);
  if (shmemx_status(context) != SHMEMX_ERR_DEAD_PE) fail("put succeeded");
  shmem_long_iput(&word, results, 1, 1, 1, dead);
  if (shmemx_status(SHMEM_CTX_DEFAULT) != SHMEMX_ERR_DEAD_PE) fail("iput succeeded");
  if (shmem_long_g(&word, dead) != 0 || shmemx_status(SHMEM_CTX_DEFAULT) == 0) fail("g succeeded");
  if (shmem_long_atomic_fetch_add(&word, 1, dead) != 0 || shmemx_status(SHMEM_CTX_DEFAULT) == 0)
    fail("an atomic succeeded");
  shmem_long_atomic_inc(&word, dead);
  if (shmemx_status(SHMEM_CTX_DEFAULT) == 0) fail("inc succeeded");
  shmem_quiet();
  shmem_fence();
  shmem_long_p(&results[10 + me], me + 1, 0);
  if (shmem_long_atomic_fetch_add(&word, 0, me) != 0) fail("an atomic here");
  if (shmemx_status(SHMEM_CTX_DEFAULT) != 0) fail("a call to a living PE failed");
  if (shmem_malloc(64) != NULL) fail("malloc succeeded");
  shmem_barrier_all();
  if (shmemx_status(SHMEM_CTX_DEFAULT) != SHMEMX_ERR_DEAD_PE) fail("barrier_all succeeded");
  if (shmem_team_sync(SHMEM_TEAM_WORLD) != SHMEMX_ERR_DEAD_PE) fail("team_sync succeeded");
  if (shmem_long_broadcast(SHMEM_TEAM_WORLD, results, results, 1, 0) != SHMEMX_ERR_DEAD_PE)
    fail("broadcast succeeded");
  shmem_ctx_t later;
  if (shmem_ctx_create(0, &later) != 0) fail("no context after a death");
  shmem_ctx_long_p(later, &word, 1, dead);
  if (shmemx_status(later) != SHMEMX_ERR_DEAD_PE) fail("p on a new context succeeded");
  puts("end");
}

/* PE 1 dies while the others wait for a word that nobody writes. */
static void wait_for_dead(void) {
  ready();
  if (shmem_my_pe() == 1) {
    usleep(50000);
    die();
  }
  shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
  if (word == 1) fail("the word has changed");
  if (shmemx_pe_state(1) != SHMEMX_PE_DEAD) fail("the wait ended early");
  const int status = shmemx_long_wait_until_timeout(&word, SHMEM_CMP_EQ, 1, UINT64_MAX);
  if (status != SHMEMX_ERR_DEAD_PE) fail("a wait with an unknown death returned %d", status);
  if (shmemx_status(SHMEM_CTX_DEFAULT) != SHMEMX_ERR_DEAD_PE) fail("the wait left no status");
  const double begin = now_ms();
  if (shmemx_long_wait_until_timeout(&word, SHMEM_CMP_EQ, 1, 20000) != SHMEMX_ERR_TIMEOUT)
    fail("a wait with a timeout");
  if (now_ms() - begin < 20) fail("the timeout came early");
  shmem_team_t team;
  if (shmemx_team_shrink(SHMEM_TEAM_WORLD, &team) != 0) fail("no team");
  const int next = (shmem_team_my_pe(team) + 1) % shmem_team_n_pes(team);
  shmem_long_p(&word, 1, shmem_team_translate_pe(team, next, SHMEM_TEAM_WORLD));
  shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
  if (shmemx_status(SHMEM_CTX_DEFAULT) != 0) fail("a wait for a living PE failed");
  if (shmemx_long_wait_until_timeout(&word, SHMEM_CMP_EQ, 1, 0) != 0) fail("the word is 1");
  puts("end");
}

/* PE 0 dies with a lock for which the others wait. */
static void lock_of_dead(void) {
  if (shmem_my_pe() == 0) shmem_set_lock(&lock);
  ready();
  if (shmem_my_pe() == 0) {
    usleep(50000);
    die();
  }
  shmem_set_lock(&lock);
  if (shmemx_status(SHMEM_CTX_DEFAULT) != SHMEMX_ERR_DEAD_PE) fail("the lock was taken");
  puts("end");
}

/* Half of the members die one after the other, each within the calls of the others. */
static void die_in_calls(void) {
  const int me = shmem_my_pe();
  const int half = shmem_n_pes() / 2;
  shmem_team_t team = SHMEM_TEAM_WORLD;
  static long mine = 1;
  static long sum;
  ready();
  for (int round = 0; round < half;) {
    if (me == 2 * round + 1) {
      usleep((useconds_t)(rand() % 300));
      die();
    }
    if (shmem_long_sum_reduce(team, &sum, &mine, 1) == 0) continue;
    shmem_team_t living;
    if (shmemx_team_shrink(team, &living) != 0) fail("no team");
    team = living;
    ++round;
  }
  printf("end %d\n", shmem_team_n_pes(team));
}

/* PE 1 has filled the remote heap of PE 0 and has died. */
static void regain_blocks(shmemx_gptr_t kept) {
  if (shmem_my_pe() != 0) return;
  const shmemx_gptr_t again = shmemx_malloc_at(0, piece);
  if (shmemx_gptr_is_null(again)) fail("the blocks of PE 1 are lost");
  if (again.offset == kept.offset) fail("a block without an owner is free");
  if (shmemx_free_at(again) != 0 || shmemx_free_at(kept) != 0) fail("a block is not free");
}

/* PE 1 dies. The others allocate memory, and use it, once they have made a team of those that live.
 */
static void allocate(void) {
  long* before = shmem_malloc(sizeof(long));
  static shmemx_gptr_t kept;
  if (shmem_my_pe() == 1) {
    const shmemx_gptr_t mine = shmemx_malloc_at(0, piece);
    shmem_putmem(&kept, &mine, sizeof(mine), 0);
    while (!shmemx_gptr_is_null(shmemx_malloc_at_owned(0, piece))) {
    }
  }
  ready();
  if (shmem_my_pe() == 1) die();
  await_death(1);
  regain_blocks(kept);
  if (shmem_malloc(64) != NULL) fail("malloc succeeded before the shrink");
  shmem_team_t team;
  if (shmemx_team_shrink(SHMEM_TEAM_WORLD, &team) != 0) fail("no team");
  const int me = shmem_team_my_pe(team);
  const int size = shmem_team_n_pes(team);
  const int next = shmem_team_translate_pe(team, (me + 1) % size, SHMEM_TEAM_WORLD);
  long* cell = shmem_calloc(1, sizeof(long));
  if (cell == NULL) fail("calloc failed after the shrink");
  shmem_long_p(cell, me + 1, next);
  shmem_long_wait_until(cell, SHMEM_CMP_NE, 0);
  if (*cell != (me + size - 1) % size + 1) fail("the neighbor has put %ld", *cell);
  cell = shmem_realloc(cell, 1 << 20);
  if (cell == NULL) fail("realloc failed");
  shmem_free(cell);
  shmem_free(before);
  long* again = shmem_malloc(sizeof(long));
  long place = (char*)again - (char*)before;
  static long least, most;
  static long mine;
  mine = place;
  if (shmem_long_min_reduce(team, &least, &mine, 1) != 0 ||
      shmem_long_max_reduce(team, &most, &mine, 1) != 0)
    fail("a reduction");
  if (least != most) fail("blocks lie at %ld and %ld", least, most);
  if (shmemx_status(SHMEM_CTX_DEFAULT) != SHMEMX_ERR_DEAD_PE) fail("no status");
  puts("end");
}

/* PE 1 is killed within one of its accumulates, which hold a lock. The others go on to add. */
static void add_with_dead(void) {
  enum { size = 1 << 17, rounds = 20 };
  static shmemx_gptr_t block;
  long* ones = malloc(size * sizeof(long));
  for (int i = 0; i < size; ++i) ones[i] = 1;
  if (shmem_my_pe() == 0) block = shmemx_malloc_at(0, size * sizeof(long));
  if (shmem_my_pe() == 0) shmemx_gptr_put(block, ones, size * sizeof(long));
  ready();
  shmem_getmem(&block, &block, sizeof block, 0);
  if (shmem_my_pe() == 1) ualarm(20000 + getpid() % 1000, 0);
  for (int round = 0; round < rounds; round += shmemx_pe_state(1) == SHMEMX_PE_DEAD)
    if (shmemx_gptr_accumulate(block, ones, size, SHMEMX_INT64) != 0) fail("accumulate");
  if (shmem_my_pe() == 2) die();
  await_death(2);
  block.pe = 2;
  if (shmemx_gptr_accumulate(block, ones, size, SHMEMX_INT64) != SHMEMX_ERR_DEAD_PE)
    fail("accumulate succeeded");
  free(ones);
  puts("end");
}

/* Times of a barrier and of shrinking a team of which nobody has died. */
static void measure(void) {
  enum { rounds = 2000 };
  ready();
  double begin = now_ms();
  for (int i = 0; i < rounds; ++i) shmem_team_sync(SHMEM_TEAM_WORLD);
  const double sync_us = (now_ms() - begin) * 1e3 / rounds;
  double shrink_us = 0;
  for (int i = 0; i < rounds; ++i) {
    shmem_team_t team;
    begin = now_ms();
    if (shmemx_team_shrink(SHMEM_TEAM_WORLD, &team) != 0) fail("no team");
    shrink_us += (now_ms() - begin) * 1e3 / rounds;
    shmem_team_destroy(team);
  }
  if (shmem_my_pe() == 0) printf("sync %.2f us, shrink %.2f us\n", sync_us, shrink_us);
}

/* PE 1 is killed by another process. Prints when this PE is told. */
static void tell(void) {
  ready();
  shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
  printf("told %.3f\n", now_ms());
}

/* PE 1 is killed by another process, and the others then wait forever. */
static void stay(void) {
  ready();
  shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
  if (shmemx_status(SHMEM_CTX_DEFAULT) != SHMEMX_ERR_DEAD_PE) fail("the wait left no status");
  puts("told");
  fflush(stdout);
  shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
}

static long variable = 1;
static long* block;

/* What the first process of a PE leaves in its memory, and what its next process finds. */
static void check_memory(long in_variable, long in_block) {
  if (variable != in_variable) fail("the variable is %ld", variable);
  if (block != NULL && *block != in_block) fail("the block holds %ld", *block);
}

/* The next process of the last PE: the others know that it runs, and write to it. */
static void begin_again(int keeps) {
  if (keeps && block == NULL) fail("the pointer is lost");
  check_memory(keeps ? 42 : 1, 43);
  if (shmem_team_sync(SHMEM_TEAM_WORLD) != SHMEMX_ERR_DEAD_PE) fail("team_sync succeeded");
  shmemx_status(SHMEM_CTX_DEFAULT);
  for (int pe = 0; pe < shmem_my_pe(); ++pe) {
    shmem_long_wait_until(&results[pe], SHMEM_CMP_EQ, pe + 1);
    if (block != NULL && block[pe + 1] != pe) fail("PE %d has not written to the block", pe);
    shmem_long_p(&word, 1, pe);
  }
}

/* The last PE dies and is started again. */
static void lose_and_regain(int keeps) {
  const int last = shmem_n_pes() - 1;
  if (shmemx_is_restarted() != 0) return begin_again(keeps);
  const int me = shmem_my_pe();
  block = shmem_calloc(64, sizeof(long));
  variable = 42;
  *block = 43;
  ready();
  if (me == last) die();
  while (shmemx_pe_restarts(last) == 0) usleep(100);
  if (shmemx_pe_state(last) != SHMEMX_PE_ALIVE) fail("the PE is not alive");
  shmemx_status(SHMEM_CTX_DEFAULT);
  shmem_long_p(&block[me + 1], me, last);
  shmem_fence();
  shmem_long_p(&results[me], me + 1, last);
  if (shmemx_status(SHMEM_CTX_DEFAULT) != 0) fail("p failed");
  while (word != 1) {
    shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
    shmemx_status(SHMEM_CTX_DEFAULT);
  }
  if (shmem_team_sync(SHMEM_TEAM_WORLD) != SHMEMX_ERR_DEAD_PE) fail("the team is whole again");
  check_memory(42, 43);
}

/* The last PE dies at once, in each of its processes. */
static void die_often(int expected) {
  const int last = shmem_n_pes() - 1;
  if (shmemx_is_restarted() == 0) ready();
  if (shmem_my_pe() == last) die();
  while (shmemx_pe_restarts(last) < expected || shmemx_pe_state(last) != SHMEMX_PE_DEAD)
    usleep(100);
  usleep(50000);
  if (shmemx_pe_restarts(last) != expected) fail("another process was started");
  shmemx_status(SHMEM_CTX_DEFAULT);
  shmem_long_p(&word, 1, last);
  if (shmemx_status(SHMEM_CTX_DEFAULT) != SHMEMX_ERR_DEAD_PE) fail("p succeeded");
}

/* Each PE dies once, one after the other. After each death all make a world, which is whole. */
static void make_worlds(void) {
  static long mine;
  static long sum;
  const int pes = shmem_n_pes();
  const int me = shmem_my_pe();
  const int is_new = shmemx_is_restarted();
  if (!is_new) ready();
  for (int turn = is_new ? me : 0; turn < pes; ++turn) {
    if (!is_new && me == turn) die();
    shmem_team_t team;
    int failed = shmemx_team_update(&team);
    while (failed == SHMEMX_ERR_DEAD_PE) failed = shmemx_team_update(&team);
    if (failed) fail("the update returned %d", failed);
    shmemx_status(SHMEM_CTX_DEFAULT);
    mine = me + 1;
    if (shmem_n_pes() != pes || shmem_team_n_pes(team) != pes) fail("the world is too small");
    if (shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1) != 0) fail("the world is broken");
    if (sum != pes * (pes + 1) / 2) fail("the sum is %ld", sum);
    long* fresh = shmem_calloc(8, sizeof(long));
    if (fresh == NULL) fail("no block");
    shmem_long_p(fresh, me + 1, (me + 1) % pes);
    shmem_barrier_all();
    if (*fresh != (me + pes - 1) % pes + 1) fail("the block holds %ld", *fresh);
    shmem_barrier_all();
    if (shmemx_status(SHMEM_CTX_DEFAULT) != 0) fail("a call has failed in turn %d", turn);
    shmem_team_destroy(team);
  }
}

/* More teams than an update or a shrink looks at have lost a member. */
static void end_many_teams(void) {
  enum { many = 70 };
  static shmem_team_t teams[many];
  static long mine = 1;
  static long sum;
  for (int i = 0; i < many; ++i)
    if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &teams[i]) != 0)
      fail("no team %d", i);
  ready();
  if (shmem_my_pe() == 0) die();
  await_death(0);
  for (int i = 0; i < many; ++i) shmem_team_destroy(teams[i]);
  shmem_team_t living;
  if (shmemx_team_shrink(SHMEM_TEAM_WORLD, &living) != 0)
    fail("no team after the others have ended");
  if (shmem_long_sum_reduce(living, &sum, &mine, 1) != 0) fail("the team is broken");
  if (sum != shmem_n_pes() - 1) fail("the sum is %ld", sum);
  puts("end");
}

/* A round of the PEs of a whole world: each PE keeps its last round at a PE of the other half.
 * Returns whether no PE has died meanwhile. */
static int go_round(long last, int is_first) {
  static long rounds;
  static long most;
  static long kept;
  const int pes = shmem_n_pes();
  const int me = shmem_my_pe();
  const int keeper = (me + pes / 2) % pes;
  rounds = last;
  if (shmem_long_max_reduce(SHMEM_TEAM_WORLD, &most, &rounds, 1) != 0) return 0;
  const long here = shmem_long_g(&kept, keeper);
  if (shmemx_status(SHMEM_CTX_DEFAULT) != 0) return 0;
  if (is_first && (here > most + 1 || here < most - 1))
    fail("round %ld is kept of %ld", here, most);
  shmem_long_p(&kept, most + 1, keeper);
  if (shmem_team_sync(SHMEM_TEAM_WORLD) != 0) return 0;
  return shmemx_status(SHMEM_CTX_DEFAULT) == 0 ? (int)(most + 1) : 0;
}

/* All PEs go round, and a PE that dies is started again and joins the others. */
static void go_rounds(int rounds) {
  long last = 0;
  if (shmemx_is_restarted() == 0) ready();
  int is_first = shmemx_is_restarted() != 0;
  int is_whole = !is_first;
  while (last < rounds) {
    while (!is_whole) {
      shmem_team_t team;
      const int failed = shmemx_team_update(&team);
      if (failed != 0 && failed != SHMEMX_ERR_DEAD_PE) fail("the update returned %d", failed);
      is_whole = failed == 0;
      if (is_whole) shmem_team_destroy(team);
      shmemx_status(SHMEM_CTX_DEFAULT);
    }
    const int next = go_round(last, is_first);
    is_whole = next != 0;
    if (is_whole) last = next, is_first = 0;
    usleep(1000);
  }
}

/* The time from the death of the last PE to the first put of PE 0 into its next process. */
static void measure_restart(void) {
  static double died_ms;
  const int last = shmem_n_pes() - 1;
  if (shmemx_is_restarted() == 0) ready();
  if (shmem_my_pe() == last) {
    if (shmemx_is_restarted() != 0) shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
    if (shmemx_is_restarted() != 0) return;
    shmem_double_p(&died_ms, now_ms(), 0);
    shmem_quiet();
    die();
  }
  if (shmem_my_pe() != 0) return;
  do {
    while (shmemx_pe_restarts(last) == 0) usleep(50);
    shmemx_status(SHMEM_CTX_DEFAULT);
    shmem_long_p(&word, 1, last);
  } while (shmemx_status(SHMEM_CTX_DEFAULT) != 0);
  printf("first put after %.2f ms\n", now_ms() - died_ms);
}

int main(int count, char** words) {
  shmem_init();
  const char* mode = count > 1 ? words[1] : "";
  srand((unsigned)getpid());
  if (strcmp(mode, "shrink") == 0 && count > 2) shrink_to(atoi(words[2]));
  if (strcmp(mode, "calls") == 0) call_dead();
  if (strcmp(mode, "waits") == 0) wait_for_dead();
  if (strcmp(mode, "lock") == 0) lock_of_dead();
  if (strcmp(mode, "in_calls") == 0) die_in_calls();
  if (strcmp(mode, "memory") == 0) allocate();
  if (strcmp(mode, "add") == 0) add_with_dead();
  if (strcmp(mode, "measure") == 0) measure();
  if (strcmp(mode, "tell") == 0) tell();
  if (strcmp(mode, "stay") == 0) stay();
  if (strcmp(mode, "restart") == 0) lose_and_regain(0), puts("end");
  if (strcmp(mode, "keep") == 0) lose_and_regain(1), puts("end");
  if (strcmp(mode, "measure_restart") == 0) measure_restart();
  if (strcmp(mode, "started") == 0 && shmem_my_pe() == 0) printf("started %.3f\n", now_ms());
  if (strcmp(mode, "teams") == 0) end_many_teams();
  if (strcmp(mode, "worlds") == 0) make_worlds(), puts("end");
  if (strcmp(mode, "rounds") == 0 && count > 2) go_rounds(atoi(words[2])), puts("end");
  if (strcmp(mode, "often") == 0 && count > 2) die_often(atoi(words[2])), puts("end");
  fflush(stdout);
  shmem_finalize();
  return 0;
}
