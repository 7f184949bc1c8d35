// Heat in a bar whose field lies on a device of each PE. A PE computes on a copy in host memory, as
// a kernel would on the device; the ends of its part go from device to device.
//
//   GONDWANA_EMULATED_DEVICES=1 gondwana run -n 4 ./device_heat --cells 1000 --steps 50
//
// The result is compared with that of one bar in host memory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "shmemx.h"

// The cells of this PE, and one of each neighbour before and after them.
struct part {
  long cells;
  double* field;  // on the device
  double* host;   // cells + 2
};

static size_t bytes_of(long cells) {
  return (size_t)cells * sizeof(double);
}

static double start(long cell, long all) {
  return cell == all / 3 ? (double)all : 0;
}

static void step(double* field, double* next, long cells) {
  for (long i = 1; i <= cells; ++i)
    next[i] = field[i] + 0.25 * (field[i - 1] - 2 * field[i] + field[i + 1]);
  memcpy(field + 1, next + 1, bytes_of(cells));
}

static void make_part(struct part* part, long cells) {
  part->cells = cells;
  part->host = calloc((size_t)cells + 2, sizeof(double));
  part->field = shmemx_device_malloc(0, bytes_of(cells + 2));
  const int is_given =
      part->field != NULL && shmemx_buffer_register(part->field, bytes_of(cells + 2)) == 0;
  if (part->host == NULL || !is_given) {
    fprintf(stderr,
            "device_heat needs %zu bytes on a device that all PEs can register; "
            "GONDWANA_EMULATED_DEVICES=1 gives each PE one\n",
            bytes_of(cells + 2));
    shmem_global_exit(1);
  }
}

static void free_part(struct part* part) {
  shmemx_buffer_unregister(part->field);
  shmemx_device_free(part->field);
  free(part->host);
}

// The first and the last cell go to the neighbours' edges. The bar ends with cold edges.
static void exchange(const struct part* part, int me, int pes) {
  if (me > 0) shmem_double_put(part->field + part->cells + 1, part->field + 1, 1, me - 1);
  if (me + 1 < pes) shmem_double_put(part->field, part->field + part->cells, 1, me + 1);
  shmem_barrier_all();
}

static void run(struct part* part, long steps, int me, int pes) {
  double* next = calloc((size_t)part->cells + 2, sizeof(double));
  for (long i = 0; i < steps; ++i) {
    exchange(part, me, pes);
    shmemx_device_memcpy(part->host, part->field, bytes_of(part->cells + 2));
    step(part->host, next, part->cells);
    shmemx_device_memcpy(part->field + 1, part->host + 1, bytes_of(part->cells));
    shmem_barrier_all();
  }
  free(next);
}

// The largest difference to a bar that is computed in one piece.
static double difference(const struct part* part, long steps, int me, int pes) {
  const long all = part->cells * pes;
  double* bar = calloc((size_t)all + 2, sizeof(double));
  double* next = calloc((size_t)all + 2, sizeof(double));
  for (long i = 0; i < all; ++i) bar[i + 1] = start(i, all);
  for (long i = 0; i < steps; ++i) step(bar, next, all);
  double most = 0;
  for (long i = 1; i <= part->cells; ++i)
    most = fmax(most, fabs(part->host[i] - bar[me * part->cells + i]));
  free(next);
  free(bar);
  return most;
}

int main(int argc, char** argv) {
  shmem_init();
  struct argument table[] = {
      {"--cells", "cells of each PE", WHOLE_NUMBER, .low = 1, .high = 1e7, .number = 1000},
      {"--steps", "steps in time", WHOLE_NUMBER, .low = 0, .high = 1e7, .number = 50}};
  read_arguments("device_heat: heat in a bar that lies on devices", table, 2, argc, argv);
  const long cells = (long)table[0].number;
  const long steps = (long)table[1].number;
  const int me = shmem_my_pe();
  const int pes = shmem_n_pes();
  struct part part;
  make_part(&part, cells);
  for (long i = 1; i <= cells; ++i) part.host[i] = start(me * cells + i - 1, cells * pes);
  shmemx_device_memcpy(part.field, part.host, bytes_of(cells + 2));
  shmem_barrier_all();  // before a neighbour writes the edges
  run(&part, steps, me, pes);
  const double wrong = difference(&part, steps, me, pes);
  if (wrong > 0) fprintf(stderr, "PE %d: a cell differs by %g\n", me, wrong);
  shmem_barrier_all();
  if (me == 0) printf("%ld cells on the devices of %d PEs, %ld steps\n", cells * pes, pes, steps);
  free_part(&part);
  shmem_finalize();
  return wrong > 0 ? 1 : 0;
}
