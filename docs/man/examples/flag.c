#include <shmem.h>

static long data[100];
static long ready;

int main(void) {
  int wrong = 0;
  shmem_init();
  const int last = shmem_n_pes() - 1;
  if (shmem_my_pe() == 0) {
    long filled[100];
    for (int i = 0; i < 100; ++i) filled[i] = i;
    shmem_long_put(data, filled, 100, last);
    shmem_fence();                  // the data first,
    shmem_long_p(&ready, 1, last);  // then the flag
  }
  if (shmem_my_pe() == last) {
    shmem_long_wait_until(&ready, SHMEM_CMP_EQ, 1);
    for (int i = 0; i < 100; ++i)
      wrong |= data[i] != i;  // all of it is here
  }
  shmem_finalize();
  return wrong;
}
