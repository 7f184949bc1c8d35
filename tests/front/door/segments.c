// Variables in several segments of the program, as -mcmodel=medium places large ones. All of them
// are symmetric, and a forked child has its own copy of all.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "rank %d: line %d: %s\n", shmem_my_pe(), __LINE__, #condition); \
      shmem_global_exit(1);                                                           \
    }                                                                                 \
  } while (0)

enum { elements = 100000 };
static long large_zero[elements];
static long large[elements] = {1, 2, 3};
static long small_zero;
static long small_one = 4;
static const long constants[elements] = {5};

static long* const places[] = {&large_zero[0], &large_zero[elements - 1],
                               &large[0],      &large[elements - 1],
                               &small_zero,    &small_one};
enum { number = sizeof(places) / sizeof(places[0]) };

static void fork_and_write(void) {
  int status = 1;
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < number; ++i) *places[i] = -1;
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
  CHECK(large[2] == 3 && small_one == 4 && constants[0] == 5);
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int i = 0; i < number; ++i) shmem_long_p(places[i], 100 + i, right);
  shmem_barrier_all();
  for (int i = 0; i < number; ++i) CHECK(*places[i] == 100 + i);
  CHECK(large[2] == 3 && constants[0] == 5);
  fork_and_write();
  for (int i = 0; i < number; ++i) CHECK(*places[i] == 100 + i);
  shmem_finalize();
  return 0;
}
