// Streams of small operations from rank 0 to ranks of the other node, and quiet: 64 and 4096
// operations, 64 in a session too, to one rank or to all there in turn. Of puts also with a signal
// each, and with one signal for all. Usage: network_streams
// [limit of targets]
#include "network.h"
#include "shmemx.h"

enum { LONGEST = 4096, CELLS = 512, ROUNDS = 60, WARM_UP = 10 };

static long* cells;  // symmetric: CELLS of each kind
static uint64_t* signals;
static long fetched[LONGEST];
static long source = 7;

static void run_put_nbi(int i, int peer) {
  shmem_put64_nbi(cells + i % CELLS, &source, 1, peer);
}
static void run_p(int i, int peer) {
  shmem_long_p(cells + i % CELLS, source, peer);
}
static void run_add(int i, int peer) {
  shmem_long_atomic_add(cells + CELLS + i % CELLS, 1, peer);
}
static void run_fetch_add(int i, int peer) {
  shmem_long_atomic_fetch_add_nbi(fetched + i, cells + CELLS + i % CELLS, 1, peer);
}
static void run_put_signal(int i, int peer) {
  shmem_put64_signal_nbi(cells + i % CELLS, &source, 1, signals + i % CELLS, 1, SHMEM_SIGNAL_ADD,
                         peer);
}
static void run_get(int i, int peer) {
  shmem_get64_nbi(fetched + i, cells + i % CELLS, 1, peer);
}

struct kind {
  const char* name;
  void (*run)(int i, int peer);
};

static const struct kind kinds[] = {{"put_nbi", run_put_nbi},
                                    {"p", run_p},
                                    {"add", run_add},
                                    {"fetch_add_nbi", run_fetch_add},
                                    {"put_signal_nbi", run_put_signal},
                                    {"get_nbi", run_get}};

static void stream(const struct kind* kind, int length, int first, int targets) {
  for (int i = 0; i < length; ++i) kind->run(i, first + i % targets);
  shmem_quiet();
}

static void stream_in_session(const struct kind* kind, int length, int first, int targets) {
  shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  for (int i = 0; i < length; ++i) kind->run(i, first + i % targets);
  shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
  shmem_quiet();
}

static void measure_stream(const struct kind* kind, int length, int first, int targets) {
  TIME_OURS(1, WARM_UP, ROUNDS, (size_t)length, stream(kind, length, first, targets),
            "network_%s_%d_to_%d", kind->name, length, targets);
}

// Puts to one rank, then a signal.
static void stream_and_signal(int length, int peer) {
  for (int i = 0; i < length; ++i) run_put_nbi(i, peer);
  shmemx_signal_after(signals, 1, SHMEM_SIGNAL_ADD, peer);
  shmem_quiet();
}

// Checks that every addition has arrived.
static void check(int first, int targets) {
  long sum = 0;
  for (int target = 0; target < targets; ++target)
    for (int i = 0; i < CELLS; ++i) sum += shmem_long_g(cells + CELLS + i, first + target);
  const long expected = 2L * (ROUNDS + WARM_UP) * (64 + LONGEST);
  if (sum != expected) fail("the additions sum to %ld, expected %ld", sum, expected);
}

static void measure(void* symmetric, int peer) {
  const int targets = *(const int*)symmetric;
  const int first = peer - targets + 1;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    measure_stream(&kinds[i], 64, first, targets);
    measure_stream(&kinds[i], LONGEST, first, targets);
  }
  TIME_OURS(1, WARM_UP, ROUNDS, 64, stream_in_session(&kinds[0], 64, first, targets),
            "network_put_nbi_session_64_to_%d", targets);
  TIME_OURS(1, WARM_UP, ROUNDS, 64, stream_and_signal(64, peer), "network_signal_after_64_to_1");
  TIME_OURS(1, WARM_UP, ROUNDS, LONGEST, stream_and_signal(LONGEST, peer),
            "network_signal_after_%d_to_1", LONGEST);
  check(first, targets);
}

int main(int argc, char** argv) {
  int targets = argc > 1 ? atoi(argv[1]) : 1;
  start_shmem();
  require(targets >= 1 && targets <= ranks / 2, "expected at most half of the ranks as targets");
  cells = allocate_symmetric(2 * CELLS * sizeof *cells);
  signals = allocate_symmetric(CELLS * sizeof *signals);
  measure_beside(0, measure, &targets);
  end_shmem();
}
