// The measurements of `gondwana bench` between two ranks of OpenSHMEM: puts, gets, streams of puts,
// atomic operations and ping-pongs. Only names of OpenSHMEM 1.4 are used, so that other libraries
// can compile it. Usage: transfers latency|stream|atomics ROUNDS SMALLEST LARGEST
#include "shmem_pair.h"

static long* remote_word(struct pair* p) {
  return (long*)(void*)data_in(p->remote);
}

static void stream(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    shmem_putmem_nbi(data_in(p->remote), p->local, bytes, p->other);
    if (i % WINDOW == WINDOW - 1) shmem_quiet();
  }
  shmem_quiet();
}

static void send(struct pair* p, size_t bytes, long trip) {
  shmem_putmem(data_in(p->remote), p->local, bytes, p->other);
  shmem_fence();
  shmem_long_p(word_in(p->remote), trip, p->other);
}

static void send_add(struct pair* p, size_t bytes, long trip) {
  (void)bytes, (void)trip;
  shmem_long_atomic_inc(word_in(p->remote), p->other);
}

static void wait_for(struct pair* p, long trip) {
  shmem_long_wait_until(word_in(p->shared), SHMEM_CMP_EQ, trip);
}

static void ping_pong(struct pair* p, size_t bytes, size_t ops) {
  go_there_and_back(p, bytes, ops, &p->trips, send, wait_for);
}

static void add_ping_pong(struct pair* p, size_t bytes, size_t ops) {
  go_there_and_back(p, bytes, ops, &p->trips, send_add, wait_for);
}

static void fetch_add(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) (void)shmem_long_atomic_fetch_add(remote_word(p), 1, p->other);
}

static void add(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) shmem_long_atomic_add(remote_word(p), 1, p->other);
  shmem_quiet();
}

static void swap(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) (void)shmem_long_atomic_swap(remote_word(p), (long)i, p->other);
}

static void compare_swap(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i)
    (void)shmem_long_atomic_compare_swap(remote_word(p), 0, 1, p->other);
}

static const struct measurement measurements[] = {
    {"latency", "put", put, copy_there, 0},
    {"latency", "get", get, copy_here, 0},
    {"latency", "ping_pong", ping_pong, line_ping_pong, 1},
    {"stream", "put_nbi", stream, copy_there, 0},
    {"atomics", "fetch_add", fetch_add, add_here, 0},
    {"atomics", "add", add, add_here, 0},
    {"atomics", "swap", swap, swap_here, 0},
    {"atomics", "compare_swap", compare_swap, compare_swap_here, 0},
    {"atomics", "ping_pong", add_ping_pong, atomic_ping_pong, 1},
};

static const struct library library = {
    measurements, sizeof measurements / sizeof *measurements, put, get, shmem_barrier_all,
};

int main(int argc, char** argv) {
  const struct request request = request_of(argc, argv);
  struct pair p = start_shmem_pair(data_bytes(request.largest));
  measure_pair(&p, &library, &request);
  end_shmem();
}
