// A ring that uses NVSHMEM's host API, which needs no GPU here. A block of numbers travels around
// the ring on a stream, and each PE adds its own number to all of them.
//
//   gondwana run -n 4 ./nvshmem_ring
//   GONDWANA_EMULATED_DEVICES=1 gondwana run -n 4 ./nvshmem_ring
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 1000 };

// Returns when the stream has done its work. A program with CUDA's runtime calls
// cudaStreamSynchronize instead.
static void wait_for(cudaStream_t stream, const long* block, int me) {
  (void)nvshmemx_long_g_on_stream(block, me, stream);
}

// The symmetric heap may be on a device, so the numbers are changed in host memory.
static void add_own(long* block, int me) {
  long values[count];
  nvshmem_long_get(values, block, count, me);
  for (int i = 0; i < count; ++i) values[i] += me;
  nvshmem_long_put(block, values, count, me);
}

int main(void) {
  nvshmem_init();
  const int me = nvshmem_my_pe();
  const int pes = nvshmem_n_pes();
  const int right = (me + 1) % pes;
  const cudaStream_t stream = 0;
  long* block = nvshmem_calloc(count, sizeof(long));
  uint64_t* arrived = nvshmem_calloc(1, sizeof(uint64_t));
  if (me > 0) nvshmemx_signal_wait_until_on_stream(arrived, NVSHMEM_CMP_EQ, 1, stream);
  wait_for(stream, block, me);
  add_own(block, me);
  nvshmemx_long_put_signal_on_stream(block, block, count, arrived, 1, NVSHMEM_SIGNAL_SET, right,
                                     stream);
  if (me == 0) nvshmemx_signal_wait_until_on_stream(arrived, NVSHMEM_CMP_EQ, 1, stream);
  nvshmemx_barrier_all_on_stream(stream);
  wait_for(stream, block, me);
  const long sum = nvshmem_long_g(block + count - 1, 0);
  const int is_right = sum == (long)pes * (pes - 1) / 2;
  if (me == 0) printf("%d PEs add up to %ld\n", pes, sum);
  nvshmem_free(arrived);
  nvshmem_free(block);
  nvshmem_finalize();
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
