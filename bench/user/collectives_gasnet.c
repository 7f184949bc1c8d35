// The measurements of `gondwana bench collectives --door gasnetex`: a barrier, a broadcast from
// rank 0 and a sum over all ranks. Usage: collectives_gasnet collectives ROUNDS SMALLEST LARGEST
#include "all_ranks.h"

#include "gasnet_start.h"

#include <gasnet_coll.h>

static void barrier(struct ranks* r, size_t words) {
  (void)r, (void)words;
  meet_all();
}

static void broadcast(struct ranks* r, size_t words) {
  gex_Event_Wait(
      gex_Coll_BroadcastNB(world, 0, r->target, r->source, words * sizeof *r->source, 0));
  meet_all();
}

static void sum(struct ranks* r, size_t words) {
  gex_Event_Wait(gex_Coll_ReduceToAllNB(world, r->target, r->source, GEX_DT_I64, sizeof *r->source,
                                        words, GEX_OP_ADD, NULL, NULL, 0));
  meet_all();
}

static const struct library library = {barrier, broadcast, sum};

int main(int argc, char** argv) {
  const struct request request = request_of(argc, argv);
  start_gasnet(NULL, 0, block_bytes(request.largest));
  struct ranks r =
      start_ranks((int)gex_TM_QueryRank(world), (int)gex_TM_QuerySize(world), gasnet_exit);
  for (int rank = 0; rank < ranks; ++rank) {
    char* owner = NULL;
    find_segment((gex_Rank_t)rank, &owner, &r.blocks[rank]);
  }
  measure_all_ranks(&r, &library, request.rounds, request.smallest, request.largest);
  end_job(&started);
}
