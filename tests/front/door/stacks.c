/* stacks init|call KIB: a thread with a stack of that size initialises the library, or makes calls
   that go to other nodes. */
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

static long word;

static int call(void) {
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_long_p(&word, 1, next);
  shmem_barrier_all();
  return word == 1 && shmem_long_g(&word, next) == 1;
}

static void* work(void* by_init) {
  static int good;
  int provided = 0;
  if (by_init != NULL) shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  good = call();
  if (by_init != NULL) shmem_finalize();
  return good ? &good : NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int provided = 0;
  const int by_init = strcmp(argv[1], "init") == 0;
  if (!by_init) shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  pthread_attr_t attributes;
  pthread_t thread;
  void* good = NULL;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, (size_t)atoi(argv[2]) << 10) != 0) return 3;
  if (pthread_create(&thread, &attributes, work, by_init ? &word : NULL) != 0) return 4;
  pthread_join(thread, &good);
  if (!by_init) shmem_finalize();
  return good == NULL;
}
