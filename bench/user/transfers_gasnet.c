// The measurements of `gondwana bench --door gasnetex` between two ranks: puts, gets, streams of
// puts, atomic operations and ping-pongs.
// Usage: transfers_gasnet latency|stream|atomics ROUNDS SMALLEST LARGEST
#include "gasnet_pair.h"

#include <gasnet_ratomic.h>

static gex_AD_t domain;

static void stream(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    gex_RMA_PutNBI(world, (gex_Rank_t)p->other, data_in(p->remote), p->local, bytes,
                   GEX_EVENT_DEFER, 0);
    if (i % WINDOW == WINDOW - 1) gex_NBI_Wait(GEX_EC_PUT, 0);
  }
  gex_NBI_Wait(GEX_EC_PUT, 0);
}

static void send(struct pair* p, size_t bytes, long trip) {
  gex_RMA_PutBlocking(world, (gex_Rank_t)p->other, data_in(p->remote), p->local, bytes, 0);
  gex_RMA_PutBlocking(world, (gex_Rank_t)p->other, word_in(p->remote), &trip, sizeof trip, 0);
}

static void wait_for(struct pair* p, long trip) {
  _Atomic long* word = (_Atomic long*)word_in(p->shared);
  GASNET_BLOCKUNTIL(atomic_load_explicit(word, memory_order_acquire) == trip);
}

static void ping_pong(struct pair* p, size_t bytes, size_t ops) {
  go_there_and_back(p, bytes, ops, &p->trips, send, wait_for);
}

// Performs one atomic operation on a word of the other rank.
static int64_t operate(struct pair* p, void* word, gex_OP_t op, int64_t one, int64_t two) {
  int64_t old = 0;
  gex_Event_Wait(gex_AD_OpNB_I64(domain, &old, (gex_Rank_t)p->other, word, op, one, two, 0));
  return old;
}

static void send_add(struct pair* p, size_t bytes, long trip) {
  (void)bytes, (void)trip;
  (void)operate(p, word_in(p->remote), GEX_OP_FADD, 1, 0);
}

static void add_ping_pong(struct pair* p, size_t bytes, size_t ops) {
  go_there_and_back(p, bytes, ops, &p->trips, send_add, wait_for);
}

static void fetch_add(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) (void)operate(p, data_in(p->remote), GEX_OP_FADD, 1, 0);
}

static void swap(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) (void)operate(p, data_in(p->remote), GEX_OP_SWAP, (int64_t)i, 0);
}

static void compare_swap(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) (void)operate(p, data_in(p->remote), GEX_OP_FCAS, 0, 1);
}

static const struct measurement measurements[] = {
    {"latency", "put", put, copy_there, 0},
    {"latency", "get", get, copy_here, 0},
    {"latency", "ping_pong", ping_pong, line_ping_pong, 1},
    {"stream", "put_nbi", stream, copy_there, 0},
    {"atomics", "fetch_add", fetch_add, add_here, 0},
    {"atomics", "swap", swap, swap_here, 0},
    {"atomics", "compare_swap", compare_swap, compare_swap_here, 0},
    {"atomics", "ping_pong", add_ping_pong, atomic_ping_pong, 1},
};

static const struct library library = {
    measurements, sizeof measurements / sizeof *measurements, put, get, meet_all,
};

int main(int argc, char** argv) {
  const struct request request = request_of(argc, argv);
  struct pair p = start_gasnet_pair(NULL, 0, data_bytes(request.largest));
  gex_AD_Create(&domain, world, GEX_DT_I64, GEX_OP_FADD | GEX_OP_SWAP | GEX_OP_FCAS, 0);
  measure_pair(&p, &library, &request);
  gex_AD_Destroy(domain);
  end_gasnet_pair(&p);
}
