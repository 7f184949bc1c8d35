// The floor of a broadcast: n processes, except the root, copy the buffer of the root. They meet
// after every second call, as the ranks of the row must. Usage: broadcast PROCESSES [BYTES]
#include "../common/floor.h"

static void broadcast(const struct floor* floor, size_t rank, size_t turn) {
  if (rank == 0) return;
  memcpy(result_of(floor, rank, turn), source_of(floor, 0), floor->source_bytes);
}

int main(int argc, char** argv) {
  const size_t n = argument(argc, argv, 1, 2);
  const size_t bytes = argument(argc, argv, 2, 64 << 10);
  const struct floor floor = new_floor(n, bytes, bytes);
  time_floor("broadcast", &floor, broadcast, FLOOR_RESULTS);
  return 0;
}
