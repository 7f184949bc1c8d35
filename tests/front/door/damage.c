// Errors for debugging tools to find: `damage KIND` makes one on rank 0.
#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { size = 80 };

static char buffer[512];
static volatile char seen;

static void overflow_own(char* block) {
  block[size] = 1;
}
static void underflow_own(char* block) {
  seen = block[-1];
}
static void overflow_by_put(char* block) {
  shmem_putmem(block, buffer, sizeof buffer, shmem_n_pes() - 1);
}
static void overflow_by_pointer(char* block) {
  char* theirs = shmem_ptr(block, shmem_n_pes() - 1);
  if (theirs != NULL) theirs[size] = 1;
}
static void overflow_variable(char* block) {
  buffer[sizeof buffer - 1 + (size_t)block[0]] = 1;
}
static void put_that_fits(char* block) {
  shmem_putmem(block, buffer, size, shmem_n_pes() - 1);
}

static volatile int* volatile nowhere;

static void __attribute__((noinline)) fall_over(void) {
  *nowhere = 1;
}
static void crash(char* block) {
  (void)block;
  fall_over();
}
static void* crash_in_thread(void* block) {
  crash(block);
  return NULL;
}
static void crash_of_thread(char* block) {
  pthread_t thread;
  pthread_create(&thread, NULL, crash_in_thread, block);
  pthread_join(thread, NULL);
}
static void give_up(char* block) {
  (void)block;
  abort();
}
static void (*volatile nothing)(void);
static void __attribute__((noinline)) call_nowhere(char* block) {
  nothing();
  seen = *block;
}
static int volatile zero;
static void __attribute__((noinline)) divide(char* block) {
  seen = (char)(*block / zero);
}
static void __attribute__((noinline)) crash_of_child(char* block) {
  const pid_t child = fork();
  if (child == 0) abort();
  waitpid(child, NULL, 0);
  seen = *block;
}
static void end_well(int number) {
  (void)number;
  static const char word[] = "handled\n";
  _exit(write(1, word, sizeof word - 1) > 0 ? 3 : 1);
}
static void crash_with_handler(char* block) {
  signal(SIGSEGV, end_well);
  crash(block);
}
static void __attribute__((noinline)) ask_for_stack(char* block) {
  raise(SIGURG);
  seen = *block;
}
static int __attribute__((noinline)) run_over(int depth) {
  volatile char room[1024];
  room[depth % 1024] = (char)depth;
  return run_over(depth + 1) + room[0];
}
static void overflow_stack(char* block) {
  seen = (char)run_over(*block);
}

static void __attribute__((noinline)) touch_device(char* block) {
  char* there = shmemx_device_malloc(0, 100);
  there[50] = *block;
}

static const struct {
  const char* name;
  void (*act)(char* block);
} kinds[] = {{"overflow", overflow_own},
             {"underflow", underflow_own},
             {"put", overflow_by_put},
             {"pointer", overflow_by_pointer},
             {"variable", overflow_variable},
             {"nothing", put_that_fits},
             {"crash", crash},
             {"thread", crash_of_thread},
             {"abort", give_up},
             {"stack", overflow_stack},
             {"call", call_nowhere},
             {"divide", divide},
             {"child", crash_of_child},
             {"handler", crash_with_handler},
             {"ask", ask_for_stack},
             {"device", touch_device}};

// Leaked blocks. All ranks make these calls, which are collective.
static void use_lost_block(const char* kind) {
  char* block = shmem_malloc(size);
  if (!strcmp(kind, "freed")) {
    shmem_free(block);
    block[3] = 1;
  } else if (!strcmp(kind, "shrunk")) {
    block = shmem_realloc(block, size / 4);
    block[size / 4 + 1] = 1;
  }
}

int main(int count, char** words) {
  const char* kind = count > 1 ? words[1] : "nothing";
  shmem_init();
  char* block = shmem_malloc(size);
  char* next = shmem_calloc(1, size);  // an overflow would hit it
  memset(block, 1, size);
  shmem_barrier_all();
  use_lost_block(kind);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (shmem_my_pe() == 0 && !strcmp(kind, kinds[i].name)) kinds[i].act(block);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) puts("went on");
  shmem_free(next);
  shmem_free(block);
  shmem_finalize();
  return 0;
}
