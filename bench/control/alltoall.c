// The floor of alltoall by n processes: each copies its block of the n sources. BYTES is the size
// of a source; a block has BYTES / n. The processes meet after CALLS calls; with 1 each call ends
// when all have their blocks, as an alltoall must. Usage: alltoall PROCESSES [BYTES] [CALLS]
#include "../common/floor.h"

static void alltoall(const struct floor* floor, size_t rank, size_t turn) {
  const size_t block = floor->source_bytes / floor->n;
  for (size_t i = 0; i < floor->n; ++i) {
    const size_t source = (rank + i) % floor->n;  // not all at the same one
    memcpy(result_of(floor, rank, turn) + source * block, source_of(floor, source) + rank * block,
           block);
  }
}

int main(int argc, char** argv) {
  const size_t n = argument(argc, argv, 1, 2);
  const size_t bytes = argument(argc, argv, 2, 64 << 10);
  const struct floor floor = new_floor(n, bytes, bytes);
  const size_t calls = argument(argc, argv, 3, FLOOR_CALLS);
  time_floor(calls == 1 ? "alltoall_met" : "alltoall", &floor, alltoall, (int)calls);
  return 0;
}
