// The measurements of `gondwana bench --door armci` between two ranks: puts, gets, streams of puts,
// atomic operations and ping-pongs.
// Usage: transfers_armci latency|stream|atomics ROUNDS SMALLEST LARGEST
#include "pair.h"

#include "armci_start.h"

static void put(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    ARMCI_Put(p->local, data_in(p->remote), (int)bytes, p->other);
    ARMCI_Fence(p->other);
  }
}

static void get(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) ARMCI_Get(data_in(p->remote), p->local, (int)bytes, p->other);
}

static void complete(struct pair* p) {
  ARMCI_WaitAll();
  ARMCI_Fence(p->other);
}

static void stream(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    ARMCI_NbPut(p->local, data_in(p->remote), (int)bytes, p->other, NULL);
    if (i % WINDOW == WINDOW - 1) complete(p);
  }
  complete(p);
}

static void send(struct pair* p, size_t bytes, long trip) {
  ARMCI_Put(p->local, data_in(p->remote), (int)bytes, p->other);
  ARMCI_Fence(p->other);
  ARMCI_PutValueLong(trip, word_in(p->remote), p->other);
}

// ARMCI has no call that waits for a word. From another node an agent delivers it, which needs a
// processor.
static void wait_for(struct pair* p, long trip) {
  wait_for_value((_Atomic long*)word_in(p->shared), trip, p->has_control ? p->how : WAIT_YIELD);
}

static void ping_pong(struct pair* p, size_t bytes, size_t ops) {
  go_there_and_back(p, bytes, ops, &p->trips, send, wait_for);
}

static void fetch_add(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  long old = 0;
  for (size_t i = 0; i < ops; ++i)
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, data_in(p->remote), 1, p->other);
}

static void swap(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  long value = 1;
  for (size_t i = 0; i < ops; ++i)
    ARMCI_Rmw(ARMCI_SWAP_LONG, &value, data_in(p->remote), 0, p->other);
}

static void send_add(struct pair* p, size_t bytes, long trip) {
  (void)bytes, (void)trip;
  long old = 0;
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, word_in(p->remote), 1, p->other);
}

static void add_ping_pong(struct pair* p, size_t bytes, size_t ops) {
  go_there_and_back(p, bytes, ops, &p->trips, send_add, wait_for);
}

static const struct measurement measurements[] = {
    {"latency", "put", put, copy_there, 0},
    {"latency", "get", get, copy_here, 0},
    {"latency", "ping_pong", ping_pong, line_ping_pong, 1},
    {"stream", "put_nbi", stream, copy_there, 0},
    {"atomics", "fetch_add", fetch_add, add_here, 0},
    {"atomics", "swap", swap, swap_here, 0},
    {"atomics", "ping_pong", add_ping_pong, atomic_ping_pong, 1},
};

static const struct library library = {
    measurements, sizeof measurements / sizeof *measurements, put, get, armci_msg_barrier,
};

int main(int argc, char** argv) {
  const struct request request = request_of(argc, argv);
  const size_t bytes = data_bytes(request.largest);
  ARMCI_Init_args(&argc, &argv);
  struct pair p = start_pair(armci_msg_me(), armci_msg_nproc(), armci_msg_abort);
  void** blocks = allocate_blocks(ranks, CELL_BYTES + bytes);
  p.shared = blocks[me];
  p.remote = blocks[p.other];
  p.mapped = is_mapped(p.other) ? p.remote : NULL;
  p.local = new_pages(bytes);
  measure_pair(&p, &library, &request);
  ARMCI_Free(p.shared);
  free(p.local);
  free((void*)blocks);
  ARMCI_Finalize();
  return 0;
}
