// Blocks of memory at other processes, allocated without them (gasnet/blocks.h).
#include <gasnet/blocks.h>
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <stdint.h>
#include <string.h>

#include "job.h"

enum { words = 1000, blocks = 8 };

static gex_TM_t pair;

// Writes a block of the next rank, and reads it back.
static void words_of_a_block(void) {
  const gex_Rank_t next = (job_me + 1) % job_ranks;
  uint64_t source[words];
  uint64_t dest[words];
  void* all[blocks];
  for (size_t b = 0; b < blocks; ++b) {
    all[b] = gondwana_gasnet_malloc_at(next, sizeof(source));
    CHECK(all[b] != NULL && (uintptr_t)all[b] % 64 == 0);
    for (size_t i = 0; i < words; ++i) source[i] = (job_me + 1) * 1000000 + b * 10000 + i;
    gex_RMA_PutBlocking(pair, next, all[b], source, sizeof(source), 0);
  }
  for (size_t b = 0; b < blocks; ++b) {
    gex_RMA_GetBlocking(pair, dest, next, all[b], sizeof(dest), 0);
    for (size_t i = 0; i < words; ++i) CHECK(dest[i] == (job_me + 1) * 1000000 + b * 10000 + i);
    CHECK(gondwana_gasnet_free_at(next, all[b]) == GASNET_OK);
  }
}

// Rank 0 allocates a block at the last rank and passes on its address. The last rank reads it by
// loads, and frees it.
static void counter_for_all(void) {
  const gex_Rank_t last = job_ranks - 1;
  void* counter = NULL;
  if (job_me == 0) {
    const uint64_t zero = 0;
    counter = gondwana_gasnet_malloc_at(last, sizeof(zero));
    gex_RMA_PutBlocking(pair, last, counter, &zero, sizeof(zero), 0);
  }
  gex_Event_Wait(gex_Coll_BroadcastNB(job_team, 0, &counter, &counter, sizeof(counter), 0));
  gex_AD_t domain;
  gex_AD_Create(&domain, pair, GEX_DT_U64, GEX_OP_INC, 0);
  for (int i = 0; i < 100; ++i)
    gex_Event_Wait(gex_AD_OpNB_U64(domain, NULL, last, counter, GEX_OP_INC, 0, 0, 0));
  job_barrier();
  if (job_me == last) {
    CHECK(*(volatile uint64_t*)counter == 100 * (uint64_t)job_ranks);
    CHECK(gondwana_gasnet_free_at(last, counter) == GASNET_OK);
  }
  job_barrier();
}

static void refusals(void) {
  gex_System_SetVerboseErrors(0);
  const gex_Rank_t last = job_ranks - 1;
  CHECK(gondwana_gasnet_malloc_at(job_ranks, 8) == NULL);
  CHECK(gondwana_gasnet_malloc_at(last, ~(size_t)0) == NULL);
  CHECK(gondwana_gasnet_malloc_at(last, 0) == NULL);
  CHECK(gondwana_gasnet_free_at(last, NULL) == GASNET_OK);
  CHECK(gondwana_gasnet_free_at(last, job_segment) == GASNET_ERR_BAD_ARG);
  CHECK(gondwana_gasnet_free_at(job_ranks, job_segment) == GASNET_ERR_BAD_ARG);
  for (gex_Rank_t rank = 0; rank < job_ranks; ++rank) {
    uintptr_t size = 0;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, rank, NULL, NULL, &size, 0));
    CHECK(size > 0 || rank != job_me);
  }
  void* block = gondwana_gasnet_malloc_at(last, 100);
  CHECK(gondwana_gasnet_free_at(last, (char*)block + 64) == GASNET_ERR_BAD_ARG);
  CHECK(gondwana_gasnet_free_at(last, block) == GASNET_OK);
  CHECK(gondwana_gasnet_free_at(last, block) == GASNET_ERR_BAD_ARG);
}

int main(int argc, char** argv) {
  job_join(&argc, &argv, 65536);
  pair = gex_TM_Pair(gex_TM_QueryEP(job_team), GONDWANA_GASNET_BLOCKS_EP);
  words_of_a_block();
  counter_for_all();
  refusals();
  job_barrier();
  gasnet_exit(0);
  return 0;
}
