/* streams [lost | slow | captured]: calls behind the work of streams, by a driver that has nothing
 * but streams. With a word, what a job says of a stream that does not come to them. */
#include <nvshmem.h>
#include <nvshmemx.h>
#include <shmemx.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// NOLINTBEGIN(readability-identifier-naming): CUDA chose the names
int cuStreamCreate(cudaStream_t* stream, unsigned flags);
int cuStreamSynchronize(cudaStream_t stream);
int cuStreamDestroy_v2(cudaStream_t stream);
int cuLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* argument);
void standin_lose(cudaStream_t stream);
void standin_capture(cudaStream_t stream);
int standin_end_capture(void);
void standin_set_device(int device);
// NOLINTEND(readability-identifier-naming)

enum { count = 1000 };

static int me;
static int pes;
static int failures = 0;
static long values[count];

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "PE %d: not so: %s\n", me, what);
}

static void sleep_some(void* time) {
  nanosleep(time, NULL);
}

/* A kernel, as far as a stream can tell. */
static void fill(void* first) {
  struct timespec some = {.tv_sec = 0, .tv_nsec = 20 * 1000 * 1000};
  sleep_some(&some);
  for (int i = 0; i < count; ++i) values[i] = *(const long*)first + i;
}

static void a_put_comes_behind_a_kernel(cudaStream_t stream, long* block) {
  const int right = (me + 1) % pes;
  const int left = (me + pes - 1) % pes;
  static const long zero = 0;
  static long first;
  first = 1000L * me;
  cuLaunchHostFunc(stream, fill, &first);
  nvshmemx_long_put_on_stream(block, values, count, right, stream);
  cuLaunchHostFunc(stream, fill, (void*)&zero); /* behind the put */
  nvshmemx_barrier_all_on_stream(stream);
  expect(nvshmemx_long_g_on_stream(block + 7, me, stream) == 1000L * left + 7,
         "a put takes what the kernel before it has written");
  cuStreamSynchronize(stream);
  expect(values[7] == 7, "a kernel comes behind the put before it");
}

/* The first stream waits for what the second one sends later. */
static void streams_do_not_wait_for_each_other(cudaStream_t one, cudaStream_t other,
                                               uint64_t* signal) {
  const int right = (me + 1) % pes;
  nvshmemx_signal_wait_until_on_stream(signal, NVSHMEM_CMP_EQ, 5, one);
  nvshmemx_uint64_p_on_stream(signal + 1, 6, right, one);
  nvshmemx_signal_op_on_stream(signal, 5, NVSHMEM_SIGNAL_SET, right, other);
  cuStreamSynchronize(one);
  cuStreamSynchronize(other);
  nvshmem_barrier_all();
  expect(nvshmem_signal_fetch(signal + 1) == 6, "a stream goes on behind its wait");
}

static void count_up(void* word) {
  shmem_uint64_atomic_inc(word, 0);
}

/* The forms of OpenSHMEM, in memory of the host. */
static void openshmem_has_them(cudaStream_t stream) {
  const int right = (me + 1) % pes;
  const int left = (me + pes - 1) % pes;
  uint64_t* words = shmem_calloc(8, sizeof(uint64_t));
  const uint64_t own[2] = {(uint64_t)me, 7};
  uint64_t got = 0;
  expect(shmemx_streams() == 1, "streams have work");
  shmemx_putmem_on_stream(words + 1, own, sizeof(own), right, stream);
  shmemx_putmem_signal_on_stream(words + 3, own, 8, words + 4, 1, SHMEM_SIGNAL_ADD, right, stream);
  shmemx_signal_wait_until_on_stream(words + 4, SHMEM_CMP_EQ, 1, stream);
  shmemx_call_on_stream(count_up, words, stream);
  shmemx_barrier_all_on_stream(stream);
  shmemx_getmem_on_stream(&got, words, 8, 0, stream);
  shmemx_quiet_streams();
  expect(words[1] == (uint64_t)left && words[2] == 7, "a put arrives");
  expect(words[3] == (uint64_t)left, "a put with a signal arrives");
  expect(got == (uint64_t)pes, "all have counted before one looks");
  shmem_free(words);
}

static atomic_int may_end = 0;

/* A kernel that ends when it may. */
static void hold(void* unused) {
  (void)unused;
  const struct timespec some = {.tv_sec = 0, .tv_nsec = 1000 * 1000};
  while (!may_end) nanosleep(&some, NULL);
}

static void let_end(int number) {
  (void)number;
  may_end = 1;
}

/* Streams may be destroyed when they have been given their work. */
static void a_destroyed_stream_does_its_work(long* block) {
  cudaStream_t stream;
  cuStreamCreate(&stream, 0);
  for (int i = 0; i < count; ++i) values[i] = 7L * i;
  may_end = 0;
  cuLaunchHostFunc(stream, hold, NULL);
  nvshmemx_long_put_on_stream(block, values, count, me, stream);
  cuStreamDestroy_v2(stream);
  may_end = 1;
  shmemx_quiet_streams();
  expect(nvshmem_long_g(block + 9, me) == 63, "a destroyed stream does its work");
}

/* What the library asks the driver meanwhile does not end the capture, of a stream that is new or
 * known. */
static void a_stream_is_captured_beside(long* block) {
  const struct timespec some = {.tv_sec = 0, .tv_nsec = 120 * 1000 * 1000};
  cudaStream_t captured;
  cudaStream_t stream;
  cuStreamCreate(&captured, 0);
  cuStreamCreate(&stream, 0);
  standin_capture(captured);
  cuLaunchHostFunc(stream, sleep_some, (void*)&some);
  nvshmemx_long_put_on_stream(block, values, count, me, stream);
  shmemx_quiet_streams(); /* looks after the stream, more than once */
  expect(standin_end_capture(), "a capture goes on");
  cuStreamDestroy_v2(captured);
  cuStreamDestroy_v2(stream);
}

/* A call that its stream does not come to. */
static int stop(const char* how, long* block) {
  cudaStream_t stream;
  cuStreamCreate(&stream, 0);
  if (strcmp(how, "captured") == 0) standin_capture(stream);
  cuLaunchHostFunc(stream, hold, NULL);
  nvshmemx_long_put_on_stream(block, values, count, me, stream);
  nvshmemx_barrier_all_on_stream(stream);
  if (strcmp(how, "lost") == 0) {
    standin_lose(stream);
    may_end = 1;
  }
  if (strcmp(how, "slow") == 0) {
    signal(SIGALRM, let_end);
    alarm(6);
  }
  nvshmem_finalize();
  return 0;
}

int main(int argc, char** argv) {
  cudaStream_t one;
  cudaStream_t other;
  nvshmem_init();
  me = nvshmem_my_pe();
  pes = nvshmem_n_pes();
  int level = 0;
  nvshmem_query_thread(&level);
  expect(level == NVSHMEM_THREAD_MULTIPLE, "threads of the library may call");
  long* block = nvshmem_malloc(count * sizeof(long));
  uint64_t* signal = nvshmem_calloc(2, sizeof(uint64_t));
  if (argc > 1) return stop(argv[1], block);
  cuStreamCreate(&one, 0);
  cuStreamCreate(&other, 0);
  a_put_comes_behind_a_kernel(one, block);
  a_put_comes_behind_a_kernel(0, block);
  standin_set_device(1);
  a_put_comes_behind_a_kernel(0, block); /* the default stream of another device */
  standin_set_device(0);
  streams_do_not_wait_for_each_other(one, other, signal);
  openshmem_has_them(other);
  a_destroyed_stream_does_its_work(block);
  a_stream_is_captured_beside(block);
  nvshmemx_long_put_on_stream(block, values, count, me, one); /* left for the end */
  nvshmem_free(signal);
  nvshmem_finalize();
  cuStreamSynchronize(one);
  cuStreamDestroy_v2(other);
  cuStreamDestroy_v2(one);
  return failures > 0;
}
