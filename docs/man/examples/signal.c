#include <shmem.h>

static long data[100];
static uint64_t arrived;

int main(void) {
  int wrong = 0;
  shmem_init();
  const int me = shmem_my_pe();
  const int next = (me + 1) % shmem_n_pes();
  const int before = (me + shmem_n_pes() - 1) % shmem_n_pes();
  long mine[100];
  for (int i = 0; i < 100; ++i) mine[i] = 1000L * me + i;
  shmem_long_put_signal(data, mine, 100, &arrived, 1,
                        SHMEM_SIGNAL_ADD, next);
  shmem_signal_wait_until(
      &arrived, SHMEM_CMP_EQ,
      1);  // what the one before has sent is complete
  for (int i = 0; i < 100; ++i)
    wrong |= data[i] != 1000L * before + i;
  shmem_finalize();
  return wrong;
}
