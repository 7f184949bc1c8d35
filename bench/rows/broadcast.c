// A buffer of rank 0 to all ranks. They meet after every second call, because the root may be
// ahead. Usage: broadcast [BYTES] [BATCHES]
#include "collectives.h"

enum { ROOTS_BYTE = 42, OTHERS_BYTE = 7 };

static size_t bytes;

static int right(const void* to) {
  const char* copy = to;
  if (shmem_my_pe() == 0 && !ROOT_GETS_A_COPY) return 1;
  for (size_t i = 0; i < bytes; ++i) {
    if (copy[i] != ROOTS_BYTE) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  bytes = argument(argc, argv, 1, 64 << 10);
  shmem_init();
  const int me = shmem_my_pe();
  pin_if_asked(me);
  char* from = shmem_malloc(bytes);
  memset(from, me == 0 ? ROOTS_BYTE : OTHERS_BYTE, bytes);

  struct collective broadcast = {.name = "broadcast",
                                 .run = broadcast_bytes,
                                 .right = right,
                                 .readiness = NOTHING_IS_KNOWN,
                                 .from = from,
                                 .bytes = bytes};
  new_results(&broadcast, bytes);
  time_collective(&broadcast, argument(argc, argv, 2, 40));
  shmem_finalize();
  return 0;
}
