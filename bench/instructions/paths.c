// The hot paths, a thousand times each, for callgrind to count. One rank, started without a
// launcher. The target is the rank itself, which takes the path of any rank on the node.
// Usage: paths PATH
#include <shmemx.h>
#include <stdio.h>
#include <string.h>

enum { TIMES = 1000, BULK_BYTES = 4096 };

static long source[BULK_BYTES / sizeof(long)];

// Callgrind counts only inside these functions: each must remain a function.

__attribute__((noinline)) static void run_p(long* cell) {
  for (int i = 0; i < TIMES; ++i) shmem_long_p(cell, i, 0);
}

__attribute__((noinline)) static void run_g(long* cell) {
  for (int i = 0; i < TIMES; ++i) (void)shmem_long_g(cell, 0);
}

__attribute__((noinline)) static void run_put8(long* cell) {
  for (int i = 0; i < TIMES; ++i) shmem_put64(cell, source, 1, 0);
}

__attribute__((noinline)) static void run_get8(long* cell) {
  for (int i = 0; i < TIMES; ++i) shmem_get64(source, cell, 1, 0);
}

__attribute__((noinline)) static void run_fetch_add(long* cell) {
  for (int i = 0; i < TIMES; ++i) (void)shmem_long_atomic_fetch_add(cell, 1, 0);
}

__attribute__((noinline)) static void run_put4k(long* cell) {
  for (int i = 0; i < TIMES; ++i) shmem_putmem(cell, source, BULK_BYTES, 0);
}

// No tool uses the regions.
__attribute__((noinline)) static void run_region(long* cell) {
  (void)cell;
  for (int i = 0; i < TIMES; ++i) {
    shmemx_region_begin("region");
    shmemx_region_end();
  }
}

static const struct {
  const char* name;
  void (*run)(long*);
} paths[] = {
    {"p", run_p},
    {"g", run_g},
    {"put8", run_put8},
    {"get8", run_get8},
    {"fetch_add", run_fetch_add},
    {"put4k", run_put4k},
    {"region", run_region},
};

int main(int argc, char** argv) {
  int found = 0;
  shmem_init();
  long* cell = shmem_malloc(BULK_BYTES);
  for (size_t i = 0; argc == 2 && i < sizeof paths / sizeof *paths; ++i) {
    if (strcmp(argv[1], paths[i].name) != 0) continue;
    paths[i].run(cell);
    found = 1;
  }
  shmem_free(cell);
  shmem_finalize();
  if (!found) fputs("usage: paths p|g|put8|get8|fetch_add|put4k|region\n", stderr);
  return found ? 0 : 2;
}
