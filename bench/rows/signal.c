// p and wait_until, one way (half a round trip), compared with a ping-pong over the same two lines
// by plain stores and loads. Ranks 0 and 1.
#include "pairs.h"

#include <stdatomic.h>

enum { BATCHES = 100, TRIPS = 1000 };

// Each rank waits on its own word. Numbers only grow, so no rank mistakes an old one for a new one.
struct board {
  long* word;          // symmetric
  _Atomic long* mine;  // as the processor sees it
  _Atomic long* theirs;
  int me;
  long trips;  // done so far, by either way
};

static void ours(struct board* board) {
  for (int i = 0; i < TRIPS; ++i) {
    const long trip = ++board->trips;
    if (board->me == 0) shmem_long_p(board->word, trip, 1);
    shmem_long_wait_until(board->word, SHMEM_CMP_EQ, trip);
    if (board->me == 1) shmem_long_p(board->word, trip, 0);
  }
}

static void wait_for(_Atomic long* word, long value) {
  while (atomic_load_explicit(word, memory_order_acquire) != value) continue;
}

static void control(struct board* board) {
  for (int i = 0; i < TRIPS; ++i) {
    const long trip = ++board->trips;
    if (board->me == 0) atomic_store_explicit(board->theirs, trip, memory_order_release);
    wait_for(board->mine, trip);
    if (board->me == 1) atomic_store_explicit(board->theirs, trip, memory_order_release);
  }
}

static double one_way_ns(void (*way)(struct board*), struct board* board) {
  const int64_t start = now_ns();
  way(board);
  return ns_per_op(now_ns() - start, 2 * TRIPS);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  pin_if_asked(me);
  long* word = shmem_calloc(LINE_PAIR, 1);
  struct board board = {word, (_Atomic long*)word, shmem_ptr(word, 1 - me), me, 0};
  const int comparable = board.theirs != NULL;
  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  shmem_barrier_all();
  for (int i = 0; i < BATCHES; ++i) {
    ours_ns[i] = one_way_ns(ours, &board);
    if (comparable) control_ns[i] = one_way_ns(control, &board);
  }
  if (me == 0) report("p_wait_until", "ours", ours_ns, BATCHES);
  if (me == 0 && comparable) report("p_wait_until", "control", control_ns, BATCHES);
  shmem_barrier_all();
  shmem_free(word);
  shmem_finalize();
  return 0;
}
