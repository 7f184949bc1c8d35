/* Threads of a rank fork while others do. Each child has its own variables; the rank keeps exactly
 * its descriptors. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { threads = 4, forks = 50, watchdog = 60, right = 5 };

static long counter = 0;
static int failures = 0;

static void expect(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "rank %d: %s\n", shmem_my_pe(), what);
  __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

static int descriptors(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  if (folder == NULL) return -1;
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

static void* fork_often(void* unused) {
  for (int i = 0; i < forks; ++i) {
    const int own = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const pid_t child = fork();
    if (child == 0) {
      counter = i + 1;
      _exit(counter == i + 1 ? right : 1);
    }
    int status = 0;
    expect(child > 0 && waitpid(child, &status, 0) == child, "a child is lost");
    expect(WIFEXITED(status) && WEXITSTATUS(status) == right, "a child failed");
    expect(close(own) == 0, "a descriptor was closed by another");
  }
  return unused;
}

int main(void) {
  alarm(watchdog);
  shmem_init();
  const int before = descriptors();
  pthread_t others[threads];
  for (int i = 0; i < threads; ++i) pthread_create(&others[i], NULL, fork_often, NULL);
  for (int i = 0; i < threads; ++i) pthread_join(others[i], NULL);
  expect(descriptors() == before, "there are other descriptors than before");
  expect(counter == 0, "a child changed a variable of the rank");
  shmem_barrier_all();
  shmem_finalize();
  return failures != 0;
}
