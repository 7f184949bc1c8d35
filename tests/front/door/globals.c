/* Global and static variables are symmetric: every rank can reach every other's. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE (64L << 20)

long initialised = 42;
static int hidden = -1;
static char large[LARGE]; /* costs nothing until it is touched */
const char* const constant = "stays where it is";
static _Thread_local int own = 5;

static int failures = 0;

static void expect(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "rank %d: %s\n", shmem_my_pe(), what);
  ++failures;
}

/* A child of a rank has its own copy: no other process sees its writes. */
static void fork_a_child_that_writes(void) {
  const pid_t child = fork();
  if (child == 0) {
    initialised = 1;
    hidden = 1;
    _exit(initialised == 1 && own == 5 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  expect(status == 0, "the child did not see its own writes");
}

int main(void) {
  expect(initialised == 42 && hidden == -1 && own == 5, "a variable lost its value before init");
  shmem_init();
  const int me = shmem_my_pe();
  const int next = (me + 1) % shmem_n_pes();
  const int last = (me + shmem_n_pes() - 1) % shmem_n_pes();
  expect(initialised == 42 && strcmp(constant, "stays where it is") == 0, "a value was lost");
  shmem_barrier_all();

  shmem_int_p(&hidden, me, next);
  shmem_char_p(&large[LARGE - 1], (char)(me + 1), next);
  shmem_long_atomic_add(&initialised, 1, 0);
  shmem_barrier_all();
  expect(hidden == last, "a put to a static variable did not arrive");
  expect(large[LARGE - 1] == (char)(last + 1), "a put to a large array did not arrive");
  expect(shmem_long_g(&initialised, 0) == 42 + shmem_n_pes(), "atomic adds were lost");
  expect(shmem_ptr(&hidden, next) != NULL, "a variable of a peer has no address");
  expect(shmem_ptr(&hidden, me) == &hidden, "an own variable has another address");
  expect(!shmem_addr_accessible(&own, next), "a thread-local variable is not symmetric");
  shmem_barrier_all();

  const long before = initialised;
  fork_a_child_that_writes();
  expect(initialised == before && hidden == last, "a child's writes were seen by its parent");
  shmem_barrier_all();
  shmem_finalize();
  return failures != 0;
}
