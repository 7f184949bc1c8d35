/* One thread ends the job while another makes calls, and exit handlers make some. */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long cell = 0;

static void say_goodbye(void) {
  usleep(200000); /* long enough for the launcher to hear of it */
  printf("goodbye of rank %d\n", shmem_my_pe());
  shmem_finalize();
}

static void* leave(void* unused) {
  (void)unused;
  shmem_long_wait_until(&cell, SHMEM_CMP_NE, 0); /* the other is at it */
  shmem_global_exit(7);
  return NULL;
}

int main(void) {
  int provided = SHMEM_THREAD_SINGLE;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  if (shmem_my_pe() != shmem_n_pes() - 1) shmem_barrier_all(); /* for ever */
  atexit(say_goodbye);
  pthread_t first;
  pthread_t second;
  pthread_create(&first, NULL, leave, NULL);
  pthread_create(&second, NULL, leave, NULL);
  for (;;) shmem_long_atomic_inc(&cell, shmem_my_pe());
}
