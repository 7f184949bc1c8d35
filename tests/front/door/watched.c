/* watched HOW: makes an error that is reported when SHMEM_DEBUG is set. */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long cells[16];
static shmem_ctx_t context;
static char* block;
static char* freed;

static void* ask(void* unused) {
  (void)shmem_my_pe();
  return unused;
}

static void* put_through_context(void* unused) {
  shmem_ctx_long_p(context, cells, 1, 0);
  return unused;
}

static void* end(void* unused) {
  shmem_finalize();
  return unused;
}

static void in_another_thread(void* (*function)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  pthread_join(thread, NULL);
}

static void start(const char* how) {
  int provided = 0;
  int level = SHMEM_THREAD_SINGLE;
  if (strcmp(how, "funneled") == 0) level = SHMEM_THREAD_FUNNELED;
  if (strcmp(how, "serialized") == 0) level = SHMEM_THREAD_SERIALIZED;
  if (strcmp(how, "private") == 0 || strcmp(how, "end") == 0) level = SHMEM_THREAD_MULTIPLE;
  shmem_init_thread(level, &provided);
}

static void do_wrong(const char* how) {
  long local[2] = {0};
  char bytes[512] = {0};
  if (strcmp(how, "misaligned") == 0) shmem_long_put((long*)((char*)cells + 1), local, 2, 0);
  if (strcmp(how, "null") == 0) shmem_long_put(cells, NULL, 1, 0);
  if (strcmp(how, "local") == 0) shmem_long_p(local, 1, 0);
  if (strcmp(how, "single") == 0 || strcmp(how, "funneled") == 0 || strcmp(how, "serialized") == 0)
    in_another_thread(ask);
  if (strcmp(how, "private") == 0) {
    shmem_ctx_create(SHMEM_CTX_PRIVATE, &context);
    in_another_thread(put_through_context);
  }
  if (strcmp(how, "left") == 0) shmem_ctx_create(SHMEM_CTX_PRIVATE, &context);
  if (strcmp(how, "end") == 0) in_another_thread(end);
  if (strcmp(how, "overflow") == 0) shmem_putmem(block, bytes, 512, 0);
  if (strcmp(how, "freed") == 0) shmem_getmem(bytes, freed, 8, 0);
  if (strcmp(how, "malloc") == 0) shmem_malloc(200);
  if (strcmp(how, "collective") == 0)
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &cells[0], &cells[8], 5);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  start(how);
  block = shmem_malloc(80);
  freed = shmem_malloc(80);
  shmem_free(freed);
  if (shmem_my_pe() == shmem_n_pes() - 1)
    do_wrong(how);
  else if (strcmp(how, "malloc") == 0)
    shmem_malloc(100);
  else if (strcmp(how, "collective") == 0)
    shmem_broadcastmem(SHMEM_TEAM_WORLD, &cells[0], &cells[8], 8, 0);
  if (strcmp(how, "exit") == 0 && shmem_my_pe() == 0) exit(0);
  shmem_finalize();
  return 0;
}
