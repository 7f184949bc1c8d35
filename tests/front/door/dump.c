/* dump: prints whether a core dump would contain this rank's heap block and its variables. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static long cell = 1;

/* Reads the flags of the mapping of the object: "dd" is "do not dump". */
static const char* dumped(const void* object) {
  FILE* maps = fopen("/proc/self/smaps", "r");
  if (maps == NULL) return "unknown";
  static char line[4096];
  int is_here = 0;
  const char* answer = "unmapped";
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
      is_here = begin <= (uintptr_t)object && (uintptr_t)object < end;
    if (is_here && strncmp(line, "VmFlags:", 8) == 0)
      answer = strstr(line, " dd") == NULL ? "yes" : "no";
  }
  fclose(maps);
  return answer;
}

int main(void) {
  shmem_init();
  char* block = shmem_malloc(1000);
  char* far = shmem_malloc(16UL << 20);
  printf("heap %s %s, behind it %s, variables %s\n", dumped(block), dumped(far + (16UL << 20) - 1),
         dumped(far + (64UL << 20)), dumped(&cell));
  shmem_finalize();
  return 0;
}
