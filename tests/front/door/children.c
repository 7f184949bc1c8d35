/* Programs and processes that a rank starts, in every way that C has. None of them is that rank.
 * Each may be its own job, and none ends the job of the rank. */
#include <shmem.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { mebibyte = 1 << 20, right = 5 };

static long counter = 0;
static int failures = 0;

static void expect(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "rank %d: %s\n", shmem_my_pe(), what);
  ++failures;
}

/* The actions of the started programs. */
static int be_alone(void) {
  shmem_init();
  shmem_long_atomic_inc(&counter, 0);
  const int is_alone = shmem_n_pes() == 1 && counter == 1;
  printf("rank %d of %d\n", shmem_my_pe(), shmem_n_pes());
  shmem_finalize();
  return is_alone ? right : 1;
}

static int status_of(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

static int by_exec(char* program) {
  const pid_t child = fork();
  if (child != 0) return status_of(child);
  execl(program, program, "child", NULL);
  _exit(127);
}

static int by_posix_spawn(char* program) {
  extern char** environ;
  char word[] = "child";
  char* const words[] = {program, word, NULL};
  pid_t child = -1;
  if (posix_spawn(&child, program, NULL, NULL, words, environ) != 0) return -1;
  return status_of(child);
}

static int by_popen(const char* program) {
  char command[4096];
  char line[64] = "";
  snprintf(command, sizeof command, "exec '%s' child", program);
  FILE* pipe = popen(command, "r");
  if (pipe == NULL) return -1;
  expect(fgets(line, sizeof line, pipe) != NULL, "popen gave nothing to read");
  expect(strcmp(line, "rank 0 of 1\n") == 0, "a program of popen is not alone");
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int by_system(const char* program) {
  char command[4096];
  snprintf(command, sizeof command, "'%s' child", program);
  const int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The child exits with all its exit handlers; the rank continues. */
static int by_fork_that_exits(void) {
  const pid_t child = fork();
  if (child != 0) return status_of(child);
  counter = -1;
  exit(right);
}

static void start_children(char* program) {
  expect(by_exec(program) == right, "fork and exec");
  expect(by_posix_spawn(program) == right, "posix_spawn");
  expect(by_popen(program) == right, "popen");
  expect(by_system(program) == right, "system");
  expect(by_fork_that_exits() == right, "fork and exit");
}

int main(int argc, char** argv) {
  if (argc > 1) return be_alone();
  shmem_init();
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  char* heap = shmem_malloc(mebibyte);
  memset(heap, me, mebibyte);
  fflush(stdout);
  start_children(argv[0]);
  shmem_barrier_all();
  shmem_long_atomic_inc(&counter, (me + 1) % ranks);
  memset(heap, me + ranks, mebibyte); /* no page is shared with a child */
  shmem_barrier_all();
  expect(counter == 1, "a child changed a variable of the rank");
  expect(shmem_char_g(heap + mebibyte - 1, (me + 1) % ranks) == (char)((me + 1) % ranks + ranks),
         "what was written after a fork is not seen");
  shmem_free(heap);
  shmem_finalize();
  return failures != 0;
}
