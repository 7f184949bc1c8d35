/* late_driver LIBRARY: CUDA's driver is loaded after nvshmem_init, as by the first call of its
 * runtime. */
#include <dlfcn.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <shmemx.h>
#include <stdio.h>
#include <time.h>

static int me;
static int failures = 0;
static long value = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "PE %d: not so: %s\n", me, what);
}

/* By this the library sees that the program has CUDA's runtime. */
// NOLINTNEXTLINE(readability-identifier-naming): CUDA chose the name
int cudaGetDevice(int* device) {
  *device = 0;
  return 0;
}

/* A kernel, as far as a stream can tell. */
static void write_late(void* wanted) {
  const struct timespec some = {.tv_sec = 0, .tv_nsec = 20 * 1000 * 1000};
  nanosleep(&some, NULL);
  value = *(const long*)wanted;
}

int main(int argc, char** argv) {
  nvshmem_init();
  me = nvshmem_my_pe();
  const int pes = nvshmem_n_pes();
  const int right = (me + 1) % pes;
  const int left = (me + pes - 1) % pes;
  long* word = nvshmem_calloc(1, sizeof(long));
  nvshmemx_long_p_on_stream(word, 3 + me, right, 0);
  nvshmem_barrier_all();
  expect(nvshmem_long_g(word, me) == 3 + left, "stream 0 is there without a driver");
  void* driver = dlopen(argc > 1 ? argv[1] : "libcuda.so.1", RTLD_NOW);
  if (driver == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*create)(cudaStream_t*, unsigned) = NULL;
  int (*launch)(cudaStream_t, void (*)(void*), void*) = NULL;
  *(void**)&create = dlsym(driver, "cuStreamCreate");
  *(void**)&launch = dlsym(driver, "cuLaunchHostFunc");
  expect(shmemx_streams() == 1, "the driver is noticed");
  cudaStream_t streams[2] = {0, 0};
  create(&streams[1], 0);
  for (int i = 0; i < 2; ++i) {
    const long wanted = 10L * (i + 1) + me;
    nvshmem_barrier_all();
    launch(streams[i], write_late, (void*)&wanted);
    nvshmemx_long_put_on_stream(word, &value, 1, right, streams[i]);
    nvshmemx_barrier_all_on_stream(streams[i]);
    expect(nvshmemx_long_g_on_stream(word, me, streams[i]) == 10L * (i + 1) + left,
           "a put takes what the kernel before it has written");
  }
  nvshmem_free(word);
  nvshmem_finalize();
  return failures > 0;
}
