// put of 8 bytes and quiet, get of 8 bytes, and fetch_add, from rank 0 to the last rank. It is on
// another node, and waits in a barrier or computes. Usage: network_small waiting|computing
#include "network.h"

enum { OPS = 2000, WARM_UP = 8000 };

typedef void operation(long* at, long value, int peer);

static const char* mode = "waiting";

static void put_one(long* at, long value, int peer) {
  shmem_put64(at, &value, 1, peer);
  shmem_quiet();
}

static void get_one(long* at, long value, int peer) {
  shmem_get64(&value, at, 1, peer);
}

static void add_one(long* at, long value, int peer) {
  (void)shmem_long_atomic_fetch_add(at, value, peer);
}

static void time_each(const char* name, operation* run, long* at, int peer) {
  TIME_OURS(1, WARM_UP, OPS, 1, run(at, 1, peer), "network_%s_%s", name, mode);
}

static void measure(void* symmetric, int peer) {
  time_each("put", put_one, symmetric, peer);
  time_each("get", get_one, symmetric, peer);
  long* sum = (long*)symmetric + 1;
  time_each("fetch_add", add_one, sum, peer);
  require(shmem_long_g(sum, peer) == OPS + WARM_UP, "additions are missing");
}

int main(int argc, char** argv) {
  start_shmem();
  if (is_asked_to_compute(argc, argv)) mode = "computing";
  long* cells = allocate_symmetric(2 * sizeof *cells);
  measure_beside(is_asked_to_compute(argc, argv), measure, cells);
  end_shmem();
}
