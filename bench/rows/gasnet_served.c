// The round trip of an active message to a rank that waits for something else, for each kind of
// wait, compared with a ping-pong over two lines. Ranks 0 and 1. OpenSHMEM waits are included,
// because one program may use both doors.
#include "gasnet_lines.h"
#include "gasnet_trips.h"

#include <shmem.h>
#include <unistd.h>

enum { BATCHES = 40, TRIPS = 500 };

// Rank 1 waits in wait(), and rank 0 ends the wait with end(). `turn` differs each time.
struct kind {
  const char* name;
  void (*prepare)(const struct job* job, long turn);  // called by both before they synchronise
  void (*wait)(const struct job* job, long turn);
  void (*end)(const struct job* job, long turn);
};

static long word;
static long lock;

static void prepare_nothing(const struct job* job, long turn) {
  (void)job;
  (void)turn;
}

static void enter_barrier(const struct job* job, long turn) {
  (void)turn;
  meet(job);
}

static void wait_for_event(const struct job* job, long turn) {
  (void)turn;
  gex_Event_t event = gex_Coll_BarrierNB(job->team, 0);
  gex_Event_WaitAll(&event, 1, 0);
}

static void wait_for_word(const struct job* job, long turn) {
  (void)job;
  shmem_long_wait_until(&word, SHMEM_CMP_EQ, turn);
}

static void write_word(const struct job* job, long turn) {
  (void)job;
  shmem_long_p(&word, turn, 1);
}

static void take_lock(const struct job* job, long turn) {
  (void)turn;
  if (job->rank == 0) shmem_set_lock(&lock);
}

static void wait_for_lock(const struct job* job, long turn) {
  (void)job;
  (void)turn;
  shmem_set_lock(&lock);
  shmem_clear_lock(&lock);
}

static void clear_lock(const struct job* job, long turn) {
  (void)job;
  (void)turn;
  shmem_clear_lock(&lock);
}

static void ask(const struct job* job) {
  for (int i = 0; i < TRIPS; ++i) {
    const uint64_t next = answered + 1;
    send_short(job, 1);
    GASNET_BLOCKUNTIL(answered == next);
  }
}

static double trip_ns(const struct job* job, const struct kind* kind, long turn) {
  kind->prepare(job, turn);
  meet(job);
  if (job->rank != 0) {
    kind->wait(job, turn);
    return 0;
  }
  usleep(2000);  // rank 1 has stopped polling
  const int64_t start = now_ns();
  ask(job);
  const double ns = ns_per_op(now_ns() - start, TRIPS);
  kind->end(job, turn);
  return ns;
}

static void measure(const struct job* job, struct lines* lines, const struct kind* kind) {
  static long turn;
  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  for (int i = 0; i < BATCHES; ++i) {
    ours_ns[i] = trip_ns(job, kind, ++turn);
    meet(job);
    const int64_t start = now_ns();
    go_there_and_back(lines, TRIPS);
    control_ns[i] = ns_per_op(now_ns() - start, TRIPS);
  }
  report_both(job->rank == 0, ours_ns, control_ns, BATCHES, "gasnet_served_%s", kind->name);
}

int main(void) {
  const struct kind kinds[] = {
      {"barrier", prepare_nothing, enter_barrier, enter_barrier},
      {"event", prepare_nothing, wait_for_event, enter_barrier},
      {"word", prepare_nothing, wait_for_word, write_word},
      {"lock", take_lock, wait_for_lock, clear_lock},
  };
  const struct job job = start_trips(LINE_PAIR);
  shmem_init();
  struct lines lines = lines_of(&job);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) measure(&job, &lines, &kinds[i]);
  end_job(&job);
}
