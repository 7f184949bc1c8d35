// The measurement of `gondwana bench memory`: the memory of a rank before shmem_init and after it
// and a barrier, as the mean over the ranks. pss: the memory of the rank alone, and its part of
// shared memory. data: the same without files. Rank 0 prints a line for each: bytes after, bytes
// before. Only names of OpenSHMEM 1.4 are used, so that other libraries can compile it. Usage:
// memory
#include "../common/shmem_job.h"

enum { FIGURES = 2 };

static const char* const names[FIGURES] = {"pss", "data"};

static void read_memory(long bytes[FIGURES]) {
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  long kib = 0;
  memset(bytes, 0, FIGURES * sizeof *bytes);
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "Pss: %ld", &kib) == 1) bytes[0] = kib << 10;
    if (sscanf(line, "Pss_Anon: %ld", &kib) == 1) bytes[1] += kib << 10;
    if (sscanf(line, "Pss_Shmem: %ld", &kib) == 1) bytes[1] += kib << 10;
  }
  if (file != NULL) fclose(file);
}

static double mean(const long* of_ranks) {
  double sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += (double)of_ranks[rank];
  return sum / ranks;
}

int main(void) {
  long bytes[2][FIGURES];  // before and after shmem_init
  read_memory(bytes[0]);
  start_shmem();
  const size_t count = (size_t)ranks;
  shmem_barrier_all();
  read_memory(bytes[1]);
  shmem_barrier_all();  // all ranks have read their shared memory
  long* of_ranks = allocate_symmetric(2 * FIGURES * count * sizeof *of_ranks);
  for (size_t i = 0; i < (size_t)2 * FIGURES; ++i)
    shmem_long_p(&of_ranks[i * count + (size_t)me], bytes[i / FIGURES][i % FIGURES], 0);
  shmem_barrier_all();
  for (size_t i = 0; me == 0 && i < FIGURES; ++i)
    printf("%s %.0f %.0f\n", names[i], mean(&of_ranks[(FIGURES + i) * count]),
           mean(&of_ranks[i * count]));
  fflush(stdout);
  end_shmem();
}
