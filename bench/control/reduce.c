// The floor of an all-reduce (sum of doubles) by n processes: each process adds its slice of the n
// sources and copies the other slices of the result. Usage: reduce PROCESSES [BYTES]
#include "../common/floor.h"

struct slice {
  size_t first;
  size_t length;
};

static struct slice slice_of(const struct floor* floor, size_t rank) {
  const size_t length = floor->source_bytes / sizeof(double);
  const size_t first = length * rank / floor->n;
  return (struct slice){first, length * (rank + 1) / floor->n - first};
}

static void add_slice(const struct floor* floor, size_t rank, size_t turn) {
  const struct slice mine = slice_of(floor, rank);
  double* restrict to = (double*)result_of(floor, rank, turn) + mine.first;
  memcpy(to, (double*)source_of(floor, 0) + mine.first, mine.length * sizeof *to);
  for (size_t source = 1; source < floor->n; ++source) {
    const double* restrict from = (const double*)source_of(floor, source) + mine.first;
    for (size_t i = 0; i < mine.length; ++i) to[i] += from[i];
  }
}

static void reduce(const struct floor* floor, size_t rank, size_t turn) {
  add_slice(floor, rank, turn);
  for (size_t owner = 0; owner < floor->n; ++owner) {
    if (owner == rank) continue;
    const struct slice theirs = slice_of(floor, owner);
    memcpy((double*)result_of(floor, rank, turn) + theirs.first,
           (double*)result_of(floor, owner, turn) + theirs.first, theirs.length * sizeof(double));
  }
}

int main(int argc, char** argv) {
  const size_t n = argument(argc, argv, 1, 2);
  const size_t bytes = argument(argc, argv, 2, 64 << 10);
  const struct floor floor = new_floor(n, bytes, bytes);
  time_floor("reduce", &floor, reduce, FLOOR_CALLS);
  return 0;
}
