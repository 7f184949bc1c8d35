// A program with known events, for traces: `events WHAT [TIMES]`.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shmemx.h"

static long flag;  // lies among the globals
static long* words;
static long lock;
static long sum;     // of what was added to words[3]
static long rounds;  // of answers, in all

static void* ask_from_thread(void* unused) {
  shmem_n_pes();
  return unused;
}

// Ranks 0 and 1 answer each other; then rank 0 counts up a word of rank 1.
static void play(long times) {
  const int me = shmem_my_pe();
  for (const long end = rounds + times; rounds < end; ++rounds) {
    const long i = rounds + 1;
    if (me == 1) shmem_long_wait_until(&flag, SHMEM_CMP_GE, i);
    if (me <= 1) shmem_long_p(&flag, i, 1 - me);
    if (me == 0) shmem_long_wait_until(&flag, SHMEM_CMP_GE, i);
  }
  shmem_barrier_all();
  sum += 7;
  if (me == 0) shmem_long_atomic_add(words + 3, 7, 1);
  if (me == 1) shmem_long_wait_until(words + 3, SHMEM_CMP_EQ, sum);
  shmem_barrier_all();
}

// Ranks of the second half come late.
static void add_up(void) {
  if (shmem_my_pe() >= shmem_n_pes() / 2) usleep(300000);
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words, words + 1, 1);
}

// Rank 0 has the lock until the others wait for it; the last rank comes late to the barrier.
static void meet(void) {
  const int me = shmem_my_pe();
  if (me == 0) shmem_set_lock(&lock);
  shmem_sync_all();
  if (me == 0) usleep(50000);
  if (me != 0) shmem_set_lock(&lock);
  shmem_clear_lock(&lock);
  if (shmem_test_lock(&lock) == 0) shmem_clear_lock(&lock);
  shmem_team_t odd = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, shmem_n_pes() / 2, NULL, 0, &odd);
  if (me == 1) usleep(50000);
  if (odd != SHMEM_TEAM_INVALID) shmem_team_sync(odd);
  if (me == shmem_n_pes() - 1) usleep(100000);
  shmem_barrier_all();
}

// Regions, of which one is left by a thread that has none.
static void name_regions(long times) {
  shmemx_region_begin("outer");
  for (long i = 0; i < times; ++i) {
    shmemx_region_begin("inner");
    shmem_long_p(words, i, shmem_my_pe());
    shmemx_region_end();
  }
  shmemx_region_end();
  shmemx_region_end();
  shmemx_region_end();
  shmemx_region_begin("open");
}

// Puts to memory of a device and to a registered buffer of the host.
static void put_to_buffers(void) {
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  char* device = shmemx_device_malloc(0, 4096);
  char* host = calloc(1, 4096);
  shmemx_buffer_register(device, 4096);
  shmemx_buffer_register(host, 4096);
  shmem_putmem(device + 64, host + 8, 100, next);
  shmem_putmem(host + 128, device, 50, next);
  shmem_barrier_all();
  shmemx_buffer_unregister(host);
  shmemx_buffer_unregister(device);
}

// A child that leaves as a program does, and a thread after that.
static void fork_a_child(void) {
  const pid_t child = fork();
  if (child == 0) exit(0);
  waitpid(child, NULL, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, ask_from_thread, NULL);
  pthread_join(thread, NULL);
}

static void die(int unused) {
  (void)unused;
  raise(SIGKILL);
}

// Rank 1 dies in a wait; its next process writes what rank 0 waits for.
static void die_once(void) {
  if (shmem_my_pe() == 0)
    while (shmem_long_atomic_fetch(&flag, 0) == 0) {
      shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
      shmemx_status(SHMEM_CTX_DEFAULT);  // the death has ended the wait
    }
  if (shmem_my_pe() != 1) return;
  if (shmemx_is_restarted() == 0) {
    signal(SIGALRM, die);
    ualarm(50000, 0);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);  // never
  }
  shmem_long_p(&flag, 1, 0);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "play";
  const long times = argc > 2 ? atol(argv[2]) : 10;
  shmem_init();
  if (strcmp(what, "die") == 0) {
    die_once();
    shmem_finalize();
    return 0;
  }
  words = shmem_calloc(8, sizeof(long));
  if (strcmp(what, "play") == 0) play(times);
  if (strcmp(what, "loop") == 0) {  // until it is ended
    if (shmem_my_pe() == 0) puts("ready");
    fflush(stdout);
    for (;;) {
      play(1);
      usleep(5000);  // as if it computed, and others may run
    }
  }
  if (strcmp(what, "crash") == 0) {
    play(times);
    if (shmem_my_pe() == 1) {
      shmem_long_wait_until(words + 1, SHMEM_CMP_EQ, 1);
      usleep(300000);  // rank 0 waits by then
      raise(SIGSEGV);
    }
    shmem_long_p(words + 1, 1, 1);
    shmem_long_wait_until(words, SHMEM_CMP_EQ, 1);  // never
  }
  if (strcmp(what, "sum") == 0) add_up();
  if (strcmp(what, "buffers") == 0) put_to_buffers();
  if (strcmp(what, "meet") == 0) meet();
  if (strcmp(what, "regions") == 0) name_regions(times);
  if (strcmp(what, "fork") == 0) fork_a_child();
  if (strcmp(what, "stay") == 0) {
    puts("ready");
    fflush(stdout);
    if (shmem_my_pe() == 0) shmem_long_wait_until(words, SHMEM_CMP_EQ, 1);  // never
    pause();
  }
  shmem_free(words);
  shmem_finalize();
  return 0;
}
