// put and get of 64 B to 64 MiB between private pages of rank 0 and the last rank, compared with
// memcpy between the same pages.
#include "pairs.h"

enum { LARGEST = 64 << 20, PER_BATCH = 1 << 20 };

struct route {
  char* symmetric;
  char* mapped;  // the same pages, for the control
  char* local;
  int peer;
};

enum direction { PUT, GET };

static void ours(const struct route* route, enum direction way, size_t bytes, size_t copies) {
  for (size_t i = 0; i < copies; ++i) {
    if (way == PUT)
      shmem_putmem(route->symmetric, route->local, bytes, route->peer);
    else
      shmem_getmem(route->local, route->symmetric, bytes, route->peer);
  }
  shmem_quiet();
}

static void control(const struct route* route, enum direction way, size_t bytes, size_t copies) {
  for (size_t i = 0; i < copies; ++i) {
    if (way == PUT)
      memcpy(route->mapped, route->local, bytes);
    else
      memcpy(route->local, route->mapped, bytes);
    keep_results();
  }
}

static void measure(const struct route* route, enum direction way, size_t bytes) {
  const size_t copies = bytes < PER_BATCH ? PER_BATCH / bytes : 1;
  const size_t batches = bytes <= (4 << 20) ? 50 : 8;
  ours(route, way, bytes, 1);
  TIME_BOTH(1, batches, copies, ours(route, way, bytes, copies), control(route, way, bytes, copies),
            "%s_%zu", way == PUT ? "put" : "get", bytes);
}

static void measure_all(char* symmetric) {
  static const size_t sizes[] = {64, 512, 4 << 10, 64 << 10, 1 << 20, 4 << 20, 64 << 20};
  const int peer = ranks - 1;
  char* local = new_pages(LARGEST);
  memset(local, 2, LARGEST);
  const struct route route = {symmetric, mapped_or_private(symmetric, LARGEST, peer), local, peer};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    measure(&route, PUT, sizes[i]);
    measure(&route, GET, sizes[i]);
  }
  free(local);
}

int main(void) {
  start_shmem();
  char* symmetric = allocate_symmetric(LARGEST);
  if (me == 0) measure_all(symmetric);
  end_shmem();
}
