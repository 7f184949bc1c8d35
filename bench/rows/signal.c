// p and wait_until, and put_signal and signal_wait_until of one long, which the receiver checks:
// one way (half a round trip), compared with a ping-pong over the same lines by plain stores and
// loads. Ranks 0 and 1. Usage: signal
#include "pairs.h"

enum { BATCHES = 100, TRIPS = 1000 };

// A symmetric object: the data and the signal of the receiver.
struct mailbox {
  _Alignas(LINE_PAIR) long data;
  _Alignas(LINE_PAIR) uint64_t flag;
};

struct board {
  struct mailbox* mine;    // symmetric
  struct mailbox* theirs;  // as mapped here
  long trips;              // trips so far, in any way; numbers only grow
  long wrong;              // trips with wrong data
};

typedef void half(struct board* board, long trip);

static void send_word(struct board* board, long trip) {
  shmem_uint64_p(&board->mine->flag, (uint64_t)trip, 1 - me);
}

static void receive_word(struct board* board, long trip) {
  shmem_uint64_wait_until(&board->mine->flag, SHMEM_CMP_EQ, (uint64_t)trip);
}

static void store_word(struct board* board, long trip) {
  __atomic_store_n(&board->theirs->flag, (uint64_t)trip, __ATOMIC_RELEASE);
}

static void load_word(struct board* board, long trip) {
  const uint64_t* flag = &board->mine->flag;
  for (unsigned looks = 0; __atomic_load_n(flag, __ATOMIC_ACQUIRE) != (uint64_t)trip; ++looks)
    let_others_run(looks);
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5

static void send_data(struct board* board, long trip) {
  shmem_long_put_signal(&board->mine->data, &trip, 1, &board->mine->flag, (uint64_t)trip,
                        SHMEM_SIGNAL_SET, 1 - me);
}

static void receive_data(struct board* board, long trip) {
  shmem_signal_wait_until(&board->mine->flag, SHMEM_CMP_EQ, (uint64_t)trip);
  board->wrong += board->mine->data != trip;
}

static void store_data(struct board* board, long trip) {
  __atomic_store_n(&board->theirs->data, trip, __ATOMIC_RELAXED);
  store_word(board, trip);
}

static void load_data(struct board* board, long trip) {
  load_word(board, trip);
  board->wrong += board->mine->data != trip;
}

#endif

static const struct way {
  const char* name;
  half* halves[4];  // send and receive, ours and the control's
} ways[] = {
    {"p_wait_until", {send_word, receive_word, store_word, load_word}},
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
    {"put_signal", {send_data, receive_data, store_data, load_data}},
#endif
};

static void go_there_and_back(struct board* board, half* const* halves) {
  for (int i = 0; i < TRIPS; ++i) {
    const long trip = ++board->trips;
    if (me == 0) halves[0](board, trip);
    halves[1](board, trip);
    if (me == 1) halves[0](board, trip);
  }
}

int main(void) {
  start_shmem();
  struct mailbox* box = allocate_aligned(LINE_PAIR, sizeof *box);
  struct board board = {box, shmem_ptr(box, 1 - me), 0, 0};
  if (board.theirs == NULL) skip("no shmem_ptr here, nowhere to store");
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i)
    TIME_BOTH(me == 0, BATCHES, 2 * TRIPS, go_there_and_back(&board, ways[i].halves),
              go_there_and_back(&board, ways[i].halves + 2), "%s", ways[i].name);
  if (board.wrong != 0) fail("%ld signals came before their data", board.wrong);
  end_shmem();
}
