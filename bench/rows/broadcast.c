// A buffer of rank 0 to all ranks. Usage: broadcast [BYTES] [BATCHES]
#include "collectives.h"

int main(int argc, char** argv) {
  const size_t bytes = argument(argc, argv, 1, 64 << 10);
  const size_t batches = argument(argc, argv, 2, 40);
  shmem_init();
  const int me = shmem_my_pe();
  pin_if_asked(me);
  char* from = shmem_malloc(bytes);
  char* to = shmem_malloc(bytes);
  memset(from, me == 0 ? 42 : 7, bytes);
  memset(to, 0, bytes);

  time_collective(broadcast_bytes, "broadcast", to, from, bytes, batches);

  for (size_t i = 0; me != 0 && i < bytes; ++i) {
    if (to[i] == 42) continue;
    fprintf(stderr, "broadcast: byte %zu is %d, not the root's\n", i, to[i]);
    shmem_global_exit(1);
  }
  shmem_finalize();
  return 0;
}
