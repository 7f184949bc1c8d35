// A block of 64 bytes at another rank, allocated and freed by rank 0, which the other does not
// help. On a node the control is malloc and free; between nodes it is two fetch_adds.
#include "pairs.h"

#include <shmemx.h>

enum { BATCHES = 50, OPS = 20000, FAR_OPS = 500, BYTES = 64 };

static void ours(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    const shmemx_gptr_t block = shmemx_malloc_at(c->peer, BYTES);
    require(shmemx_free_at(block) == 0 && !shmemx_gptr_is_null(block), "no block");
  }
}

static void of_libc(const struct cells* c, size_t ops) {
  (void)c;
  for (size_t i = 0; i < ops; ++i) {
    void* volatile block = malloc(BYTES);  // the compiler would remove both calls
    free(block);
  }
}

static void two_updates(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < 2 * ops; ++i) (void)shmem_long_atomic_fetch_add(c->symmetric, 1, c->peer);
}

int main(void) {
  start_shmem();
  const struct cells cells = {allocate_symmetric(sizeof(long)), NULL, ranks - 1};
  const int is_near = shmem_ptr(cells.symmetric, cells.peer) != NULL;
  const struct pair near_pair = {"remote_malloc", ours, of_libc};
  const struct pair far_pair = {"network_remote_malloc", ours, two_updates};
  if (me == 0)
    run_pair(is_near ? &near_pair : &far_pair, &cells, BATCHES, is_near ? OPS : FAR_OPS, 1);
  end_shmem();
}
