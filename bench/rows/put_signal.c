// put_signal and signal_wait_until, one way (half a round trip), compared with a ping-pong over the
// same two lines, data and flag, by plain stores and loads. The data are one long, which the
// receiver reads and checks. Ranks 0 and 1. Usage: put_signal
#include "pairs.h"

enum { BATCHES = 100, TRIPS = 1000 };

// A symmetric object: the data and the signal of the receiver.
struct mailbox {
  _Alignas(LINE_PAIR) long data;
  _Alignas(LINE_PAIR) uint64_t flag;
};

struct board {
  struct mailbox* mine;    // symmetric
  struct mailbox* theirs;  // as the processor sees it
  int me;
  long trips;  // done so far, by either way; numbers only grow
  long wrong;  // data of another trip
};

static void send_ours(struct board* board, long trip) {
  shmem_long_put_signal(&board->mine->data, &trip, 1, &board->mine->flag, (uint64_t)trip,
                        SHMEM_SIGNAL_SET, 1 - board->me);
}

static void receive_ours(struct board* board, long trip) {
  shmem_signal_wait_until(&board->mine->flag, SHMEM_CMP_EQ, (uint64_t)trip);
  board->wrong += board->mine->data != trip;
}

static void send_control(struct board* board, long trip) {
  __atomic_store_n(&board->theirs->data, trip, __ATOMIC_RELAXED);
  __atomic_store_n(&board->theirs->flag, (uint64_t)trip, __ATOMIC_RELEASE);
}

static void receive_control(struct board* board, long trip) {
  const uint64_t* flag = &board->mine->flag;
  for (unsigned looks = 0; __atomic_load_n(flag, __ATOMIC_ACQUIRE) != (uint64_t)trip; ++looks)
    let_others_run(looks);
  board->wrong += board->mine->data != trip;
}

static void ours(struct board* board) {
  for (int i = 0; i < TRIPS; ++i) {
    const long trip = ++board->trips;
    if (board->me == 0) send_ours(board, trip);
    receive_ours(board, trip);
    if (board->me == 1) send_ours(board, trip);
  }
}

static void control(struct board* board) {
  for (int i = 0; i < TRIPS; ++i) {
    const long trip = ++board->trips;
    if (board->me == 0) send_control(board, trip);
    receive_control(board, trip);
    if (board->me == 1) send_control(board, trip);
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
  struct mailbox* box = shmem_align(LINE_PAIR, sizeof *box);
  memset(box, 0, sizeof *box);
  struct board board = {box, shmem_ptr(box, 1 - me), me, 0, 0};
  const int comparable = board.theirs != NULL;
  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  shmem_barrier_all();
  for (int i = 0; i < BATCHES; ++i) {
    ours_ns[i] = one_way_ns(ours, &board);
    if (comparable) control_ns[i] = one_way_ns(control, &board);
  }
  if (board.wrong != 0) {
    fprintf(stderr, "put_signal: rank %d: %ld signals came before their data\n", me, board.wrong);
    shmem_global_exit(1);
  }
  shmem_barrier_all();
  if (me == 0) report("put_signal", "ours", ours_ns, BATCHES);
  if (me == 0 && comparable) report("put_signal", "control", control_ns, BATCHES);
  shmem_free(box);
  shmem_finalize();
  return 0;
}
