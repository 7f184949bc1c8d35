// The measurements of `gondwana bench collectives` for OpenSHMEM: a barrier, a broadcast from rank
// 0 and a sum over all ranks. Only names of OpenSHMEM 1.4 are used, so that other libraries can
// compile it. Usage: collectives collectives ROUNDS SMALLEST LARGEST
#include "../common/shmem_job.h"
#include "all_ranks.h"

static long* source;  // of each rank, as calls name it
static long* target;
static long* work;
static long* broadcast_sync;
static long* reduce_sync;

static void barrier(struct ranks* r, size_t words) {
  (void)r, (void)words;
  shmem_barrier_all();
}

static void broadcast(struct ranks* r, size_t words) {
  (void)r;
  shmem_broadcast64(target, source, words, 0, 0, 0, ranks, broadcast_sync);
  shmem_barrier_all();
}

static void sum(struct ranks* r, size_t words) {
  (void)r;
  shmem_long_sum_to_all(target, source, (int)words, 0, 0, ranks, work, reduce_sync);
  shmem_barrier_all();
}

static const struct library library = {barrier, broadcast, sum};

static long* allocate_sync(size_t words) {
  long* sync = allocate_aligned(4096, words * sizeof *sync);
  for (size_t i = 0; i < words; ++i) sync[i] = SHMEM_SYNC_VALUE;
  return sync;
}

int main(int argc, char** argv) {
  const struct request request = request_of(argc, argv);
  const size_t least_work = SHMEM_REDUCE_MIN_WRKDATA_SIZE;
  shmem_init();
  struct ranks r = start_ranks(shmem_my_pe(), shmem_n_pes(), shmem_global_exit);
  char* block = allocate_aligned(4096, block_bytes(request.largest));
  source = source_in(block);
  target = source + request.largest;
  work = allocate_aligned(4096, (request.largest / 2 + 1 + least_work) * sizeof *work);
  broadcast_sync = allocate_sync(SHMEM_BCAST_SYNC_SIZE);
  reduce_sync = allocate_sync(SHMEM_REDUCE_SYNC_SIZE);
  for (int rank = 0; rank < ranks; ++rank) r.blocks[rank] = shmem_ptr(block, rank);
  r.blocks[me] = block;
  shmem_barrier_all();
  measure_all_ranks(&r, &library, request.rounds, request.smallest, request.largest);
  end_shmem();
}
