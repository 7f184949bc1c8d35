// Code shared by the measurements between two ranks of GASNet-EX: the memory, a put and a get.
#ifndef GONDWANA_BENCH_GASNET_PAIR_H_
#define GONDWANA_BENCH_GASNET_PAIR_H_

#include "pair.h"

#include "gasnet_start.h"

static inline void put(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i)
    gex_RMA_PutBlocking(world, (gex_Rank_t)p->other, data_in(p->remote), p->local, bytes, 0);
}

static inline void get(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i)
    gex_RMA_GetBlocking(world, p->local, (gex_Rank_t)p->other, data_in(p->remote), bytes, 0);
}

// `bytes` is the size of the data.
static inline struct pair start_gasnet_pair(gex_AM_Entry_t* handlers, size_t count, size_t bytes) {
  start_gasnet(handlers, count, CELL_BYTES + bytes);
  struct pair p = start_pair(me, ranks, gasnet_exit);
  char* own = NULL;
  find_segment((gex_Rank_t)me, &own, &p.shared);
  find_segment((gex_Rank_t)p.other, &p.remote, &p.mapped);
  p.local = new_pages(bytes);
  return p;
}

// Ends the program of every rank.
static inline void end_gasnet_pair(struct pair* p) {
  free(p->local);
  end_job(&started);
}

#endif
