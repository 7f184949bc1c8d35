// The floor of an inclusive scan (sum of doubles) by n processes. Each process takes its slice of
// all vectors, copies the first source to the first result, and adds source after source, with each
// sum in the result of the next process. So it reads and writes the volume of one vector each. The
// processes meet after every second call, as the ranks of the row must.
// Usage: scan PROCESSES [BYTES]
#include "../common/floor.h"

static void scan(const struct floor* floor, size_t rank, size_t turn) {
  const size_t length = floor->source_bytes / sizeof(double);
  const size_t first = length * rank / floor->n;
  const size_t last = length * (rank + 1) / floor->n;
  memcpy((double*)result_of(floor, 0, turn) + first, (double*)source_of(floor, 0) + first,
         (last - first) * sizeof(double));
  for (size_t r = 1; r < floor->n; ++r) {
    double* restrict to = (double*)result_of(floor, r, turn);
    const double* restrict before = (const double*)result_of(floor, r - 1, turn);
    const double* restrict from = (const double*)source_of(floor, r);
    for (size_t i = first; i < last; ++i) to[i] = before[i] + from[i];
  }
}

int main(int argc, char** argv) {
  const size_t n = argument(argc, argv, 1, 2);
  const size_t bytes = argument(argc, argv, 2, 64 << 10);
  const struct floor floor = new_floor(n, bytes, bytes);
  time_floor("scan", &floor, scan, FLOOR_RESULTS);
  return 0;
}
