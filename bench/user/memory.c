// The measurement of `gondwana bench memory`: the memory of a rank before shmem_init and after it
// and a barrier, as the mean over the ranks. pss: what the rank has alone, and its part of what it
// shares. private: what it has alone. Rank 0 prints a line for each: bytes after, bytes before.
// Only names of OpenSHMEM 1.4 are used, so that other libraries can compile it. Usage: memory
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static long mean(const long* of_ranks, int ranks) {
  long sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += of_ranks[rank];
  return sum / ranks;
}

int main(void) {
  long before[FIGURES];
  long after[FIGURES];
  read_memory(before);
  shmem_init();
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  shmem_barrier_all();
  read_memory(after);
  shmem_barrier_all();  // all have read what they share with others
  long* of_ranks = shmem_malloc((size_t)2 * FIGURES * (size_t)ranks * sizeof *of_ranks);
  if (of_ranks == NULL) shmem_global_exit(1);
  for (int i = 0; i < FIGURES; ++i) {
    shmem_long_p(&of_ranks[2 * i * ranks + me], after[i], 0);
    shmem_long_p(&of_ranks[(2 * i + 1) * ranks + me], before[i], 0);
  }
  shmem_barrier_all();
  for (int i = 0; me == 0 && i < FIGURES; ++i)
    printf("%s %ld %ld\n", names[i], mean(&of_ranks[2 * i * ranks], ranks),
           mean(&of_ranks[(2 * i + 1) * ranks], ranks));
  fflush(stdout);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
