/* A PE of a job that grows and shrinks: grow MODE. Each mode fails with a message, or prints "end".
 */
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
static uint64_t arrived;
static long results[64];
static long lock;
static int first; /* of those that were started with this PE */
static const char* program;

static void fail(const char* format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(stderr, "grow: PE %d: ", shmem_my_pe());
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  _exit(9);
}

static void expect(long value, long expected, const char* what) {
  if (value != expected) fail("%s is %ld, not %ld", what, value, expected);
}

static long sum_of(shmem_team_t team, long value) {
  static long mine;
  static long sum;
  mine = value;
  if (shmem_long_sum_reduce(team, &sum, &mine, 1) != 0) fail("a reduction failed");
  return sum;
}

/* The words of a PE that is started by another one. */
static int spawn_on(int pes, const char* mode, const char* hosts) {
  const char* const words[] = {program, mode, "new", NULL};
  return shmemx_spawn(pes, words, hosts);
}

static int spawn(int pes, const char* mode) {
  return spawn_on(pes, mode, NULL);
}

/* Operations of an old PE on the last of the new ones, which waits for them, before an update. */
static void reach(int pe) {
  const long sent[2] = {30, 31};
  long got = 0;
  shmem_long_put_signal(&results[3], sent, 2, &arrived, 1, SHMEM_SIGNAL_ADD, pe);
  expect(shmem_long_atomic_fetch_add(&results[5], 5, pe), 50, "a word of the new PE");
  shmem_long_get(&got, &results[5], 1, pe);
  expect(got, 55, "the word after an addition");
  expect(shmem_long_g(&results[5], pe), 55, "the same word");
  shmem_long_atomic_set(&results[5], 56, pe);
}

static void be_reached(void) {
  shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1);
  expect(results[4], 31, "data with a signal");
  shmem_long_wait_until(&results[5], SHMEM_CMP_EQ, 56);
}

/* Old PEs write to the new ones before and after the update, and the new ones to the old. */
static void grow(int is_new) {
  const int old = 2;
  const int all = 5;
  long* block = NULL;
  if (!is_new) {
    block = shmem_malloc(3 * sizeof(long));
    shmem_free(shmem_malloc(1 << 20));
    if (shmem_my_pe() == 0) expect(spawn(all - old, "grow"), old, "the first new PE");
    shmem_barrier_all();
    expect(shmem_n_pes(), old, "n_pes before the update");
    shmem_long_p(&word, 40 + shmem_my_pe(), all - 1 - shmem_my_pe());
    expect(shmemx_pe_state(all - 1), SHMEMX_PE_ALIVE, "the state of a new PE");
    if (shmem_my_pe() == 1) reach(all - 1);
  } else {
    expect(shmem_my_pe() - first, shmem_team_my_pe(SHMEM_TEAM_WORLD), "its number in its world");
    expect(shmem_team_n_pes(SHMEM_TEAM_WORLD), all - old, "the size of its world");
    expect(sum_of(SHMEM_TEAM_WORLD, 1), all - old, "a sum of new PEs");
    if (shmem_malloc(8) != NULL) fail("it could allocate memory");
    shmem_long_atomic_add(&results[0], 1, 0);
    if (shmem_my_pe() > old) shmem_long_wait_until(&word, SHMEM_CMP_GE, 40);
    if (shmem_my_pe() == all - 1) be_reached();
  }
  shmem_team_t everybody;
  if (shmemx_team_update(&everybody) != 0) fail("no update");
  expect(shmem_n_pes(), all, "n_pes");
  expect(shmem_team_my_pe(SHMEM_TEAM_WORLD), shmem_my_pe(), "the number in the world");
  expect(sum_of(SHMEM_TEAM_WORLD, 1), all, "a sum of all");
  expect(sum_of(everybody, 2), 2 * all, "a sum of the new team");
  const long near = shmem_team_n_pes(SHMEM_TEAM_SHARED); /* all, or those of the node */
  expect(sum_of(SHMEM_TEAM_SHARED, 3), 3 * near, "a sum of the shared team");
  if (shmem_my_pe() == 0) expect(results[0], all - old, "the additions of new PEs");
  long* more = shmem_malloc(64);
  if (more == NULL) fail("no memory");
  const int next = (shmem_my_pe() + 1) % all;
  if (block != NULL) results[1] = (long)((char*)more - (char*)block);
  shmem_barrier_all();
  /* The blocks of old PEs exist on the new ones, too. */
  block = (long*)((char*)more - shmem_long_g(&results[1], 0));
  shmem_long_p(&block[1], 100 + shmem_my_pe(), next);
  shmem_long_p(more, 200 + shmem_my_pe(), next);
  shmem_barrier_all();
  const int previous = (shmem_my_pe() + all - 1) % all;
  expect(block[1], 100 + previous, "a word of the old block");
  expect(*more, 200 + previous, "a word of the new block");
  shmem_free(more);
  shmem_free(block);
  shmem_set_lock(&lock);
  shmem_long_p(&results[2], shmem_long_g(&results[2], 0) + 1, 0);
  shmem_quiet();
  shmem_clear_lock(&lock);
  shmem_barrier_all();
  expect(shmem_long_g(&results[2], 0), all, "the PEs that had the lock");
  shmem_team_destroy(everybody);
}

/* The first of the new PEs leaves; the others go on without it, and update. */
static void leave(int is_new) {
  uint64_t epoch = shmemx_roster_epoch();
  if (!is_new) {
    expect((long)epoch, 0, "the first epoch");
    if (shmem_my_pe() == 0) expect(spawn(2, "leave"), 2, "the first new PE");
    shmem_barrier_all();
    expect(shmemx_roster_changed(&epoch), 1, "a change of the roster");
    while (shmemx_roster_epoch() < 2) shmemx_roster_wait(shmemx_roster_epoch(), 1000 * 1000);
  }
  if (shmemx_team_update(NULL) != 0) fail("no update");
  expect(sum_of(SHMEM_TEAM_WORLD, 1), 4, "a sum of all");
  epoch = shmemx_roster_epoch();
  shmem_barrier_all();
  if (shmem_my_pe() == 2) {
    shmem_long_p(&word, 7, 3);
    if (shmemx_leave() != 0) fail("it could not leave");
    puts("left");
    exit(0);
  }
  if (shmem_my_pe() == 3) shmem_long_wait_until(&word, SHMEM_CMP_EQ, 7);
  while (shmemx_pe_state(2) == SHMEMX_PE_ALIVE) {
    if (shmemx_roster_wait(epoch, 1000 * 1000 * 60) != 0) fail("no change of the roster");
  }
  expect(shmemx_pe_state(2), SHMEMX_PE_LEFT, "the state of the PE that left");
  if (shmemx_team_update(NULL) != 0) fail("no update without the PE that left");
  expect(shmem_team_n_pes(SHMEM_TEAM_WORLD), 3, "the size of the world");
  expect(sum_of(SHMEM_TEAM_WORLD, shmem_my_pe()), 4, "a sum of the others");
  shmem_long_p(&word, 9, 3);
  shmem_barrier_all();
  if (shmem_my_pe() == 3) expect(word, 9, "a word of the last PE");
  if (shmem_my_pe() == 0) expect(spawn(1, "after"), 4, "the PE after one that left");
  if (shmemx_team_update(NULL) != 0) fail("no second update");
  expect(sum_of(SHMEM_TEAM_WORLD, 1), 4, "a sum with the PE after");
}

/* Started by leave(). */
static void after(void) {
  expect(shmem_my_pe(), 4, "its number");
  if (shmemx_team_update(NULL) != 0) fail("no update");
  expect(sum_of(SHMEM_TEAM_WORLD, 1), 4, "its sum");
}

/* Kills this process at a random moment. */
static void die_soon(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const pid_t self = getpid();
  const useconds_t delay = (useconds_t)(now.tv_nsec / 1000 % 3000);
  if (fork() != 0) return;
  usleep(delay);
  kill(self, SIGKILL);
  _exit(0);
}

/* An old PE and a new one die during updates. The others update until they are alone. */
static void lose(int is_new) {
  const int living = 4;
  if (!is_new) shmem_barrier_all(); /* a death before all PEs of the start run ends the job */
  if (!is_new && shmem_my_pe() == 0) expect(spawn(3, "lose"), 3, "the first new PE");
  if (shmem_my_pe() == 1 || shmem_my_pe() == 4) die_soon();
  for (;;) {
    static long mine = 1;
    static long sum;
    shmem_team_t team = SHMEM_TEAM_INVALID;
    if (shmemx_team_update(&team) != 0) continue;
    if (shmem_long_sum_reduce(team, &sum, &mine, 1) != 0 || sum != living) continue;
    expect(shmem_team_n_pes(SHMEM_TEAM_WORLD), living, "the size of the world");
    break;
  }
  shmem_long_p(&word, shmem_my_pe(), 0);
  shmem_barrier_all();
}

/* PEs that are started are numbered from 2. Of three, the first dies before shmem_init, which the
 * others have called; PE 1 dies while the last one has not called it. */
static void die_before_init(void) {
  const char* number = getenv("GONDWANA_RANK");
  if (strcmp(number, "2") == 0) usleep(30000), raise(SIGKILL);
  if (strcmp(number, "4") == 0) usleep(60000);
}

static void lose_in_init(int is_new) {
  if (!is_new) shmem_barrier_all();
  if (!is_new && shmem_my_pe() == 0) expect(spawn(3, "init"), -1, "PEs of which one has died");
  if (shmem_my_pe() == 1) usleep(45000), raise(SIGKILL);
  do {
    if (shmemx_team_update(NULL) != 0) shmemx_status(SHMEM_CTX_DEFAULT);
  } while (shmem_team_n_pes(SHMEM_TEAM_WORLD) != 3 || shmem_n_pes() != 5);
}

/* A program that ends with status 0 without shmem_init. */
static void start_another_program(void) {
  const char* const words[] = {"true", NULL};
  shmem_barrier_all();
  if (shmem_my_pe() == 0) expect(shmemx_spawn(1, words, NULL), -1, "a PE that does not join");
  if (shmemx_team_update(NULL) != 0) fail("no update");
  expect(shmem_team_n_pes(SHMEM_TEAM_WORLD), 2, "the size of the world");
}

static double now_ms(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Prints how long it takes to start 4 PEs, which leave at once; six times. */
static void measure(int is_new) {
  if (is_new) exit(shmemx_leave());
  for (int turn = 0; turn < 6 && shmem_my_pe() == 0; ++turn) {
    const double begin = now_ms(CLOCK_MONOTONIC);
    const int fresh = spawn(4, "measure");
    printf("spawn %.1f ms\n", now_ms(CLOCK_MONOTONIC) - begin);
    for (int pe = fresh; pe < fresh + 4; ++pe)
      while (shmemx_pe_state(pe) != SHMEMX_PE_LEFT)
        shmemx_roster_wait(shmemx_roster_epoch(), 10 * 1000);
  }
}

/* Prints the time since a moment: milliseconds since 1970. */
static void started(const char* moment) {
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("start %.1f ms\n", now_ms(CLOCK_REALTIME) - atof(moment));
}

/* What the launcher refuses; the job goes on. */
static void refuse(int count) {
  if (shmem_my_pe() == 0) {
    const char* const none[] = {"no-such-program", NULL};
    expect(shmemx_spawn(1, none, NULL), -1, "a program that does not exist");
    expect(shmemx_spawn(0, NULL, NULL), -1, "no PE");
    expect(shmemx_spawn(99, NULL, NULL), -1, "too many");
    expect(shmemx_spawn(1, NULL, "elsewhere"), -1, "another host");
    if (count > 2) expect(spawn_on(1, "missing", "localhost"), -1, "a PE that ends at once");
  }
  shmem_barrier_all();
}

static volatile sig_atomic_t is_asked;

static void note(int number) {
  (void)number;
  is_asked = 1;
}

/* A user adds PEs 2 and 3, and ends PE 1, which leaves, and PE 3, which has no handler. */
static void change_from_outside(void) {
  const int me = shmem_my_pe();
  if (me == 1) signal(SIGTERM, note);
  if (me < 2) puts("ready");
  fflush(stdout);
  if (me >= 2) shmem_long_p(&results[me], 1, 0);
  while (me == 3) usleep(10000);
  while (me == 1 && !is_asked) usleep(1000);
  if (me == 1) {
    if (shmemx_leave() != 0) fail("cannot leave");
    exit(0);
  }
  if (me == 2) {
    shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
    return;
  }
  shmem_long_wait_until(&results[2], SHMEM_CMP_EQ, 1);
  shmem_long_wait_until(&results[3], SHMEM_CMP_EQ, 1);
  puts("grown");
  fflush(stdout);
  while (shmemx_pe_state(1) != SHMEMX_PE_LEFT || shmemx_pe_state(3) != SHMEMX_PE_LEFT) usleep(1000);
  shmem_long_p(&word, 1, 2);
}

/* An update without a further team uses up nothing. */
static void update_often(void) {
  for (int i = 0; i < 70; ++i)
    if (shmemx_team_update(NULL) != 0) fail("update %d", i);
  shmem_team_t team;
  if (shmemx_team_update(shmem_my_pe() == 0 ? &team : NULL) != 0) fail("one wants the team");
}

int main(int count, char** words) {
  if (count < 2) return 2;
  program = words[0];
  const char* mode = words[1];
  const int is_new = count > 2;
  if (strcmp(mode, "missing") == 0) return 1;
  if (is_new && strcmp(mode, "init") == 0) die_before_init();
  shmem_init();
  first = is_new ? 2 : 0; /* in the modes that use it */
  results[5] = 50;
  if (strcmp(mode, "grow") == 0)
    grow(is_new);
  else if (strcmp(mode, "leave") == 0)
    leave(is_new);
  else if (strcmp(mode, "measure") == 0)
    measure(is_new);
  else if (strcmp(mode, "started") == 0)
    started(words[2]);
  else if (strcmp(mode, "lose") == 0)
    lose(is_new);
  else if (strcmp(mode, "init") == 0)
    lose_in_init(is_new);
  else if (strcmp(mode, "none") == 0)
    start_another_program();
  else if (strcmp(mode, "after") == 0)
    after();
  else if (strcmp(mode, "outside") == 0)
    change_from_outside();
  else if (strcmp(mode, "often") == 0)
    update_often();
  else if (strcmp(mode, "refuse") == 0)
    refuse(count);
  else
    return 2;
  puts("end");
  shmem_finalize();
  return 0;
}
