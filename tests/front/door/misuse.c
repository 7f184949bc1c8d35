/* misuse HOW: rank 1 (or the only rank) makes an error while the others wait in a barrier. */
#include <locale.h>
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long cell = 0;
static long cells[2];
static const long table[4] = {1, 2, 3, 4};
static _Thread_local long own_cell;
static long table_copy[4];
static char* block;

/* Programs do this all the same. */
static void exit_well(int number) {
  (void)number;
  exit(0);  // NOLINT(bugprone-signal-handler): that is what is tested
}

static void* exit_well_later(void* unused) {
  (void)unused;
  usleep(50000);
  exit(0);
}

/* Exits while the others are late for shmem_finalize. */
static void exit_during_finalize(const char* how) {
  const int by_signal = strcmp(how, "exit_by_signal") == 0;
  const int by_thread = strcmp(how, "exit_by_thread") == 0;
  if (!by_signal && !by_thread) return;
  const int is_one = shmem_my_pe() == 1;
  shmem_barrier_all();
  pthread_t thread;
  if (!is_one) {
    usleep(300000); /* long enough for rank 1 to be in it */
  } else if (by_thread) {
    pthread_create(&thread, NULL, exit_well_later, NULL);
  } else {
    signal(SIGALRM, exit_well);
    ualarm(50000, 0);
  }
  shmem_finalize();
  if (is_one && by_thread) pthread_join(thread, NULL);
  exit(0);
}

static void __attribute__((noinline)) do_wrong(const char* how) {
  long local = 0;
  if (strcmp(how, "rank") == 0) shmem_long_put(&cell, &local, 1, 99);
  if (strcmp(how, "address") == 0) shmem_long_p(&local, 1, 0);
  if (strcmp(how, "malloc") == 0) shmem_long_p(malloc(sizeof(long)), 1, 0);
  if (strcmp(how, "constant") == 0) shmem_long_p((long*)&table[2], 1, 0);
  if (strcmp(how, "thread_local") == 0) shmem_long_p(&own_cell, 1, 0);
  if (strcmp(how, "null") == 0) shmem_long_p(NULL, 1, 0);
  if (strcmp(how, "window") == 0) shmem_long_p(shmem_ptr(&cell, 0), 1, 0);
  if (strcmp(how, "past_heap") == 0) shmem_long_p((long*)(void*)(block + (2 << 20)), 1, 0);
  if (strcmp(how, "leaves") == 0) shmem_long_get(&local, cells, 1 << 20, 0);
  if (strcmp(how, "negative") == 0) shmem_getmem(&local, cells, (size_t)(local - 8), 0);
  if (strcmp(how, "variable") == 0) shmem_long_get(table_copy, cells, 3, 0);
  if (strcmp(how, "second") == 0) shmem_long_p(&cell, 1, 1);
  if (strcmp(how, "library") == 0) shmem_long_p((long*)localeconv(), 1, 0); /* in libc.so */
  if (strcmp(how, "comparison") == 0) shmem_long_wait_until(&cell, 77, 0);
  if (strcmp(how, "free") == 0) shmem_free(&local);
  usleep(50000); /* the others are likely in their barrier by now */
  if (strcmp(how, "exit0") == 0) _exit(0);
  if (strcmp(how, "exit3") == 0) exit(3);
  if (strcmp(how, "global_exit") == 0) {
    printf("goodbye\n");
    shmem_global_exit(7);
  }
  if (strcmp(how, "global_exit_256") == 0) shmem_global_exit(256);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "crash") == 0) raise(SIGSEGV);
  if (strcmp(how, "wait") == 0) {
    printf("waiting\n");
    fflush(stdout);
    shmem_long_wait_until(&cell, SHMEM_CMP_EQ, 1);
  }
  if (strcmp(how, "misaligned") == 0) {
    char* word = (char*)cells + sizeof(int);
    shmem_long_atomic_inc((long*)(void*)word, 0);
    shmem_quiet();
  }
  if (strcmp(how, "fork") == 0 && fork() == 0) shmem_my_pe();
  if (strcmp(how, "fork") == 0) pause();
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "--help") == 0) return 0;
  if (strcmp(how, "early") == 0) shmem_my_pe();
  shmem_init();
  if (strcmp(how, "full") == 0) return shmem_malloc(1UL << 50) != NULL;
  if (strcmp(how, "late") == 0) {
    shmem_finalize();
    shmem_finalize(); /* does nothing */
    shmem_barrier_all();
  }
  if (strcmp(how, "no_finalize") == 0) return 0;
  exit_during_finalize(how);
  block = shmem_malloc(64);
  if (shmem_my_pe() == 1 % shmem_n_pes()) do_wrong(how);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
