#include <shmem.h>

static long first[1000], second[1000];

int main(void) {
  static long mine[1000];
  int wrong = 0;
  shmem_init();
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int i = 0; i < 1000; ++i) mine[i] = i;
  shmem_ctx_t a, b;
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &a) != 0)
    shmem_global_exit(1);
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &b) != 0)
    shmem_global_exit(1);
  shmem_ctx_long_put_nbi(a, first, mine, 1000, next);
  shmem_ctx_long_put_nbi(b, second, mine, 1000, next);
  shmem_ctx_quiet(
      a);  // the first has arrived; the second may be under way
  shmem_sync_all();
  for (int i = 0; i < 1000; ++i) wrong |= first[i] != i;
  shmem_ctx_quiet(b);
  shmem_sync_all();
  for (int i = 0; i < 1000; ++i) wrong |= second[i] != i;
  shmem_ctx_destroy(a);
  shmem_ctx_destroy(b);
  shmem_finalize();
  return wrong;
}
