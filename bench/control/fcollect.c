// The floor of fcollect and of collect by n processes: each process copies the n sources, one after
// the other. BYTES is the size of one source. Usage: fcollect PROCESSES [BYTES]
#include "../common/floor.h"

static void fcollect(const struct floor* floor, size_t rank, size_t turn) {
  for (size_t i = 0; i < floor->n; ++i) {
    const size_t source = (rank + i) % floor->n;  // not all at the same one
    memcpy(result_of(floor, rank, turn) + source * floor->source_bytes, source_of(floor, source),
           floor->source_bytes);
  }
}

int main(int argc, char** argv) {
  const size_t n = argument(argc, argv, 1, 2);
  const size_t bytes = argument(argc, argv, 2, 64 << 10);
  const struct floor floor = new_floor(n, bytes, n * bytes);
  time_floor("fcollect", &floor, fcollect, FLOOR_CALLS);
  return 0;
}
