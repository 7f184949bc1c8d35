/* Calls of OpenSHMEM behind the work of streams of ROCm, by a driver that has nothing but streams.
 */
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <time.h>

// NOLINTBEGIN(readability-identifier-naming): HIP chose the names
int hipSetDevice(int device);
int hipStreamCreateWithFlags(void** stream, unsigned flags);
int hipStreamSynchronize(void* stream);
int hipStreamDestroy(void* stream);
int hipLaunchHostFunc(void* stream, void (*function)(void*), void* argument);
// NOLINTEND(readability-identifier-naming)

static int me;
static int pes;
static int failures = 0;
static long value;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "PE %d: not so: %s\n", me, what);
}

/* A kernel, as far as a stream can tell. */
static void fill(void* wanted) {
  const struct timespec some = {.tv_sec = 0, .tv_nsec = 20 * 1000 * 1000};
  nanosleep(&some, NULL);
  value = *(const long*)wanted;
}

static void a_put_comes_behind_a_kernel(void* stream, long* word, uint64_t* signal) {
  const int right = (me + 1) % pes;
  const int left = (me + pes - 1) % pes;
  const long wanted = 10 + me;
  static const long zero = 0;
  long got = 0;
  hipLaunchHostFunc(stream, fill, (void*)&wanted);
  shmemx_putmem_signal_on_stream(word, &value, sizeof(value), signal, 1, SHMEM_SIGNAL_ADD, right,
                                 stream);
  hipLaunchHostFunc(stream, fill, (void*)&zero); /* behind the put */
  shmemx_signal_wait_until_on_stream(signal, SHMEM_CMP_GE, 1, stream);
  shmemx_getmem_on_stream(&got, word, sizeof(got), me, stream);
  shmemx_barrier_all_on_stream(stream);
  hipStreamSynchronize(stream);
  expect(got == 10 + left, "a put takes what the kernel before it has written");
  expect(value == 0, "a kernel comes behind the put before it");
}

int main(void) {
  int level = 0;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
  me = shmem_my_pe();
  pes = shmem_n_pes();
  long* words = shmem_calloc(3, sizeof(long));
  uint64_t* signals = shmem_calloc(3, sizeof(uint64_t));
  void* stream = NULL;
  expect(shmemx_streams() == 1, "streams have work");
  a_put_comes_behind_a_kernel(stream, words, signals); /* the default stream */
  hipSetDevice(1);
  a_put_comes_behind_a_kernel(stream, words + 2, signals + 2); /* and that of another device */
  hipSetDevice(0);
  hipStreamCreateWithFlags(&stream, 1);
  a_put_comes_behind_a_kernel(stream, words + 1, signals + 1);
  shmemx_quiet_streams();
  hipStreamDestroy(stream);
  shmem_finalize();
  return failures > 0;
}
