// The memory of an idle rank: the largest resident set of the job, including shared code, after
// start-up and one barrier. No rank touches the heap.
#include <shmem.h>
#include <stdio.h>
#include <string.h>

// RssAnon + RssFile + RssShmem of this process, in KiB; 0 if there is no /proc.
static long resident_kib(void) {
  FILE* status = fopen("/proc/self/status", "r");
  if (status == NULL) return 0;
  char line[256];
  long total = 0;
  long kib = 0;
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "Rss", 3) == 0 && sscanf(line, "%*[^:]: %ld", &kib) == 1) total += kib;
  }
  fclose(status);
  return total;
}

int main(void) {
  shmem_init();
  shmem_barrier_all();
  const long mine = resident_kib();
  long* cell = shmem_malloc(sizeof *cell);
  *cell = mine;
  shmem_barrier_all();
  long largest = 0;
  for (int pe = 0; pe < shmem_n_pes(); ++pe) {
    const long theirs = shmem_long_g(cell, pe);
    if (theirs > largest) largest = theirs;
  }
  if (shmem_my_pe() == 0)
    printf(
        "{\"name\": \"resident\", \"side\": \"ours\", \"unit\": \"KiB\", \"median\": %ld, "
        "\"p90\": %ld, \"mean\": %ld, \"samples\": %d}\n",
        largest, largest, largest, shmem_n_pes());
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
