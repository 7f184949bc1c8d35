// Blocks between nodes, from all ranks at once, as in the transposition of a distributed matrix:
// each rank moves eight blocks of the given size to, or from, every rank of the other node, and all
// meet. Ranks compute for COMPUTE_US between two blocks.
// Usage: network_blocks put|get COMPUTE_US BYTES...
#include "network.h"

enum { BLOCKS = 8, BATCHES = 30, WARM_UP = 3 };

struct plan {
  int gets;
  size_t compute_us;
  size_t bytes;
};

static char* symmetric;
static char* local;

static void exchange(const struct plan* plan) {
  const int half = ranks / 2;
  const int first = me < half ? half : 0;
  for (int block = 0; block < BLOCKS; ++block) {
    for (int i = 0; i < half; ++i) {
      const int peer = first + (me + i) % half;
      char* there = symmetric + (size_t)me * plan->bytes;
      char* here = local + (size_t)peer * plan->bytes;
      if (plan->gets)
        shmem_getmem_nbi(here, there, plan->bytes, peer);
      else
        shmem_putmem_nbi(there, here, plan->bytes, peer);
    }
    compute_us(plan->compute_us);
  }
  shmem_barrier_all();
}

static void time_exchanges(const struct plan* plan) {
  TIME_OURS(me == 0, WARM_UP, BATCHES, 1, exchange(plan), "network_blocks_%s_%zu",
            plan->gets ? "get" : "put", plan->bytes);
}

int main(int argc, char** argv) {
  start_shmem();
  require(argc > 3 && ranks % 2 == 0, "expected put or get, a time, sizes, and an even job");
  struct plan plan = {.gets = strcmp(argv[1], "get") == 0,
                      .compute_us = argument(argc, argv, 2, 0)};
  for (int i = 3; i < argc; ++i) {
    plan.bytes = (size_t)atol(argv[i]);
    symmetric = allocate_symmetric(plan.bytes * (size_t)ranks);
    local = allocate_private(plan.bytes * (size_t)ranks);
    time_exchanges(&plan);
    free(local);
    shmem_free(symmetric);
  }
  end_shmem();
}
