// The measurements of `gondwana bench` between two ranks, of each door: puts, gets, streams of
// puts, atomic operations and ping-pongs. Usage: transfers latency|stream|atomics ROUNDS SMALLEST
// LARGEST
#include "pair.h"

static long* remote_word(struct pair* p) {
  return (long*)(void*)data_in(p->remote);
}

static void stream(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    put_later(p->other, data_in(p->remote), p->local, bytes);
    if (i % WINDOW == WINDOW - 1) complete_puts(p->other);
  }
  complete_puts(p->other);
}

static void send(struct pair* p, size_t bytes, long trip) {
  put_and_tell(p->other, data_in(p->remote), p->local, bytes, word_in(p->remote), trip);
}

static void send_add(struct pair* p, size_t bytes, long trip) {
  (void)bytes, (void)trip;
  add_and_tell(p->other, word_in(p->remote));
}

static void wait_for_trip(struct pair* p, long trip) {
  wait_for(word_in(p->shared), trip);
}

static void ping_pong(struct pair* p, size_t bytes, size_t ops) {
  go_there_and_back(p, bytes, ops, &p->trips, send, wait_for_trip);
}

static void add_ping_pong(struct pair* p, size_t bytes, size_t ops) {
  go_there_and_back(p, bytes, ops, &p->trips, send_add, wait_for_trip);
}

static void fetch_adds(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) old_value = fetch_add(p->other, remote_word(p));
}

#if HAS_ADD
static void adds(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) add(p->other, remote_word(p));
  complete_puts(p->other);
}
#endif

static void swaps(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) swap(p->other, remote_word(p), (long)i);
}

#if HAS_COMPARE_SWAP
static void compare_swaps(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) compare_swap(p->other, remote_word(p));
}
#endif

static const struct measurement list[] = {
    {"latency", "put", put, copy_there, 0},
    {"latency", "get", get, copy_here, 0},
    {"latency", "ping_pong", ping_pong, line_ping_pong, 1},
    {"stream", "put_nbi", stream, copy_there, 0},
    {"atomics", "fetch_add", fetch_adds, fetch_add_here, 0},
#if HAS_ADD
    {"atomics", "add", adds, add_here, 0},
#endif
    {"atomics", "swap", swaps, swap_here, 0},
#if HAS_COMPARE_SWAP
    {"atomics", "compare_swap", compare_swaps, compare_swap_here, 0},
#endif
    {"atomics", "ping_pong", add_ping_pong, atomic_ping_pong, 1},
};

static const struct measurements measurements = {list, sizeof list / sizeof *list};

int main(int argc, char** argv) {
  const struct request request = request_of(argc, argv);
  const size_t bytes = data_bytes(request.largest);
  start_door(argc, argv, CELL_BYTES + bytes);
  struct pair p = begin_pair(bytes);
  measure_group(&p, &measurements, request.group, request.rounds, request.smallest,
                request.largest);
  end_pair(&p, request.largest);
  end_door();
}
