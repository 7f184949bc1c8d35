#include <pthread.h>
#include <shmem.h>

enum { threads = 4, puts = 1000 };
static long arrived[threads][puts];

static void* work(void* argument) {
  const int me = *(const int*)argument;
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_ctx_t context;
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &context) != 0)
    shmem_global_exit(1);
  for (long i = 0; i < puts; ++i)
    shmem_ctx_long_p(context, &arrived[me][i], i + 1, next);
  shmem_ctx_quiet(
      context);  // what this thread has sent, and no other
  shmem_ctx_destroy(context);
  return NULL;
}

int main(void) {
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  if (provided != SHMEM_THREAD_MULTIPLE) shmem_global_exit(1);
  pthread_t handles[threads];
  int numbers[threads];
  for (int i = 0; i < threads; ++i) {
    numbers[i] = i;
    if (pthread_create(&handles[i], NULL, work, &numbers[i]) != 0)
      shmem_global_exit(1);
  }
  for (int i = 0; i < threads; ++i) pthread_join(handles[i], NULL);
  shmem_sync_all();  // all threads of all PEs are done, and their
                     // puts complete
  int wrong = 0;
  for (int i = 0; i < threads; ++i)
    for (long j = 0; j < puts; ++j) wrong |= arrived[i][j] != j + 1;
  shmem_finalize();
  return wrong;
}
