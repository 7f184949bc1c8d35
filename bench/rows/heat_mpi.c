// The heat of examples/device_heat.c in host memory, with exchanges through MPI: two receives and
// two sends. Writes the seconds of exchange and computation of each step to FILE.
//
// Usage: heat_mpi SIZE STEPS FILE
#include "../common/measure.h"

#include "../../examples/slab.h"

#include <mpi.h>

static void abort_job(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
}

static double* new_field(const struct slab* slab) {
  double* field = malloc(sizeof(double) * field_of(slab));
  require(field != NULL, "no memory");
  heat_up(field, slab);
  return field;
}

// MPI_PROC_NULL is the neighbour beyond a wall.
static void exchange(double* field, const struct slab* slab, int below, int above) {
  const size_t plane = plane_of(slab->size);
  const size_t last = plane * (size_t)slab->planes;
  MPI_Request requests[4];
  MPI_Irecv(field, (int)plane, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(field + last + plane, (int)plane, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(field + plane, (int)plane, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(field + last, (int)plane, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank;
  int count;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  enter_job(rank, count, abort_job);
  const struct slab slab = slab_of((int)argument(argc, argv, 1, 32), me, ranks);
  const int below = me > 0 ? me - 1 : MPI_PROC_NULL;
  const int above = me + 1 < ranks ? me + 1 : MPI_PROC_NULL;
  const size_t steps = argument(argc, argv, 2, 50);
  double* fields[2] = {new_field(&slab), new_field(&slab)};
  FILE* file = fopen(me == 0 && argc > 3 ? argv[3] : "/dev/null", "w");
  require(file != NULL, "the file cannot be written");
  double* times = new_samples(2 * steps);
  MPI_Barrier(MPI_COMM_WORLD);
  for (size_t i = 0; i < steps; ++i) {
    const int64_t begin = now_ns();
    exchange(fields[i % 2], &slab, below, above);
    const int64_t middle = now_ns();
    step(fields[(i + 1) % 2], fields[i % 2], &slab);
    times[2 * i] = (double)(middle - begin);
    times[2 * i + 1] = (double)(now_ns() - middle);
  }
  for (size_t i = 0; i < steps; ++i)
    fprintf(file, "%.9f %.9f\n", 1e-9 * times[2 * i], 1e-9 * times[2 * i + 1]);
  const int failed = fclose(file) != 0;
  free(fields[0]);
  free(fields[1]);
  free(times);
  MPI_Finalize();
  return failed;
}
