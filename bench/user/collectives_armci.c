// The measurements of `gondwana bench collectives --door armci`: a barrier, a broadcast from rank 0
// and a sum over all ranks. Usage: collectives_armci collectives ROUNDS SMALLEST LARGEST
#include "all_ranks.h"

#include "armci_start.h"

static void barrier(struct ranks* r, size_t words) {
  (void)r, (void)words;
  armci_msg_barrier();
}

// ARMCI broadcasts in place.
static void broadcast(struct ranks* r, size_t words) {
  armci_msg_bcast(me == 0 ? r->source : r->target, (int)(words * sizeof *r->source), 0);
  armci_msg_barrier();
}

static void sum(struct ranks* r, size_t words) {
  memcpy(r->target, r->source, words * sizeof *r->source);
  armci_msg_lgop(r->target, (int)words, (char[]){"+"});
  armci_msg_barrier();
}

static const struct library library = {barrier, broadcast, sum};

int main(int argc, char** argv) {
  const struct request request = request_of(argc, argv);
  ARMCI_Init_args(&argc, &argv);
  struct ranks r = start_ranks(armci_msg_me(), armci_msg_nproc(), armci_msg_abort);
  void** blocks = allocate_blocks(ranks, block_bytes(request.largest));
  for (int rank = 0; rank < ranks; ++rank) {
    if (is_mapped(rank)) r.blocks[rank] = blocks[rank];
  }
  measure_all_ranks(&r, &library, request.rounds, request.smallest, request.largest);
  ARMCI_Free(blocks[me]);
  free((void*)blocks);
  ARMCI_Finalize();
  return 0;
}
