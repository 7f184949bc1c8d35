// The shared memory of a measuring program of ARMCI.
#ifndef GONDWANA_BENCH_ARMCI_START_H_
#define GONDWANA_BENCH_ARMCI_START_H_

#include <armcix.h>
#include <message.h>

// Allocates a block for each process; returns their addresses as ARMCI calls use them.
static inline void** allocate_blocks(int processes, size_t bytes) {
  void** blocks = (void**)calloc((size_t)processes, sizeof *blocks);
  if (blocks != NULL && ARMCI_Malloc(blocks, (armci_size_t)bytes) == 0) return blocks;
  fail("no memory for %zu bytes on each rank; ask for fewer with -m", bytes);
}

// Whether loads and stores to addresses of that process are possible.
static inline int is_mapped(int process) {
  return armci_domain_same_id(ARMCI_DOMAIN_SMP, process);
}

#endif
