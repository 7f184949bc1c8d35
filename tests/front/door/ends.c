/* ends HOW CALL [THREAD]: the last rank leaves the program, by exec of another one, by exec of this
   one "again", which is a job of its own then, or by exit(0), while the others wait in a call for
   what only it could do. With "close" it closes all descriptors
   but the standard ones, as daemons do, and then does what the others wait for. With "late" all
   finalize, and the first rank needs four seconds more to end. THREAD: each of the
   others has a second thread, that "waits" in a call too, or "helps" after three seconds outside of
   any; with "hands_over" the last rank does not leave: its first thread ends, another one goes on
   for three seconds and then does what the others wait for in wait_until. Where there are devices,
   the copy engine of one has worked for each rank. */
#define _GNU_SOURCE  // NOLINT(bugprone-reserved-identifier): closefrom
#include <pthread.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long lock;
static long word;
static long other_word;
static long sums[2];

static void leave(const char* how) {
  if (strcmp(how, "exec") == 0) execlp("sleep", "sleep", "1000", (char*)NULL);
  if (strcmp(how, "again") == 0) execl("/proc/self/exe", "ends", "alone", (char*)NULL);
  exit(0);
}

static void wait_in(const char* call) {
  if (strcmp(call, "barrier") == 0) shmem_barrier_all();
  if (strcmp(call, "lock") == 0) shmem_set_lock(&lock);
  if (strcmp(call, "reduction") == 0)
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sums[0], &sums[1], 1);
  if (strcmp(call, "wait_until") == 0) shmem_long_wait_until(&word, SHMEM_CMP_NE, 0);
  while (strcmp(call, "put") == 0) {
    shmem_long_p(&word, 1, shmem_n_pes() - 1);
    shmem_quiet();
  }
}

static void close_all_and_go_on(const char* call) {
  closefrom(3);
  if (strcmp(call, "wait_until") == 0)
    for (int rank = 0; rank < shmem_my_pe(); ++rank) shmem_long_p(&word, 1, rank);
  else
    wait_in(call);
}

static void end_late(void) {
  const int is_first = shmem_my_pe() == 0;
  shmem_finalize();
  if (is_first) sleep(4);
  exit(0);
}

static void* wait_too(void* unused) {
  shmem_long_wait_until(&other_word, SHMEM_CMP_NE, 0);
  return unused;
}

static void* help(void* unused) {
  sleep(3);
  shmem_long_p(&word, 1, shmem_my_pe());
  return unused;
}

static void* go_on_alone(void* unused) {
  sleep(3);
  for (int rank = 0; rank < shmem_my_pe(); ++rank) shmem_long_p(&word, 1, rank);
  shmem_finalize();
  exit(0);
  return unused;
}

static void hand_over(void) {
  pthread_t other;
  pthread_create(&other, NULL, go_on_alone, NULL);
  pthread_exit(NULL);
}

static void use_device(void) {
  static char here[1 << 18];  // enough for the engine: few bytes are copied at once
  void* there = shmemx_device_malloc(0, sizeof(here));
  if (there == NULL || shmemx_device_memcpy(there, here, sizeof(here)) != 0) exit(4);
}

static int be_alone(void) {
  shmem_init();
  sleep(1000);
  return 3;
}

int main(int argc, char** argv) {
  if (argc == 2) return be_alone();
  if (argc < 3 || argc > 4) return 2;
  int provided = 0;
  shmem_init_thread(argc == 4 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
  const int is_last = shmem_my_pe() == shmem_n_pes() - 1;
  if (is_last && strcmp(argv[2], "lock") == 0) shmem_set_lock(&lock);
  if (shmemx_devices() > 0) use_device();
  shmem_barrier_all();
  if (strcmp(argv[1], "late") == 0) end_late();
  if (is_last && strcmp(argv[1], "close") == 0) {
    close_all_and_go_on(argv[2]);
  } else {
    const int hands_over = argc == 4 && strcmp(argv[3], "hands_over") == 0;
    if (is_last && hands_over) hand_over();
    if (is_last) leave(argv[1]);
    pthread_t other;
    if (argc == 4 && !hands_over)
      pthread_create(&other, NULL, strcmp(argv[3], "waits") == 0 ? wait_too : help, NULL);
    wait_in(argv[2]);
    if (argc == 4 && !hands_over) pthread_join(other, NULL);
  }
  shmem_finalize();
  return 0;
}
