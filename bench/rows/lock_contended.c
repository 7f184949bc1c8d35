// set_lock and clear_lock by all ranks at once, compared with a raw ticket lock in the memory of
// rank 0. The holder of the lock adds one to a word of rank 0 by a plain load and store. The figure
// is the time per turn of all ranks together. The ticket lock yields its processor when the job is
// oversubscribed: the holder may need it. Usage: lock_contended
#include "../common/barriers.h"
#include "../common/shmem_job.h"

// Enough turns for all ranks to contend even if one starts late.
enum { BATCHES = 20, TURNS = 2000, SLOW_TURNS = 20, SLOW_US = 100 };

struct contest {
  long* lock;                  // symmetric
  struct ticket_lock* ticket;  // in the memory of rank 0, as mapped here
  volatile long* guarded;
  enum wait_kind how;
};

static void ours(const struct contest* contest) {
  for (int i = 0; i < TURNS; ++i) {
    shmem_set_lock(contest->lock);
    *contest->guarded = *contest->guarded + 1;
    shmem_clear_lock(contest->lock);
  }
}

static void control(const struct contest* contest) {
  for (int i = 0; i < TURNS; ++i) {
    take_lock(contest->ticket, contest->how);
    *contest->guarded = *contest->guarded + 1;
    give_lock(contest->ticket);
  }
}

// Returns the time per turn. Ends the job if turns have overlapped.
static double turn_ns(void (*way)(const struct contest*), const struct contest* contest,
                      const char* name) {
  const size_t turns = (size_t)ranks * TURNS;
  shmem_barrier_all();
  const long before = *contest->guarded;
  shmem_barrier_all();
  const int64_t start = now_ns();
  way(contest);
  shmem_barrier_all();
  const double ns = ns_per_op(now_ns() - start, turns);
  if (*contest->guarded - before != (long)turns) fail("two ranks had the %s at once", name);
  return ns;
}

// The holder sleeps between load and store, so that two simultaneous holders would be detected.
static void check(const struct contest* contest) {
  shmem_barrier_all();
  const long before = *contest->guarded;
  shmem_barrier_all();
  for (int i = 0; i < SLOW_TURNS; ++i) {
    shmem_set_lock(contest->lock);
    const long seen = *contest->guarded;
    usleep(SLOW_US);
    *contest->guarded = seen + 1;
    shmem_clear_lock(contest->lock);
  }
  shmem_barrier_all();
  require(*contest->guarded - before == (long)ranks * SLOW_TURNS, "two ranks had the lock at once");
}

int main(void) {
  start_shmem();
  long* lock = allocate_symmetric(LINE_PAIR);
  struct ticket_lock* ticket = allocate_aligned(LINE_PAIR, sizeof *ticket);
  long* guarded = allocate_symmetric(LINE_PAIR);
  const struct contest contest = {lock, shmem_ptr(ticket, 0), shmem_ptr(guarded, 0),
                                  usual_wait(ranks)};
  if (contest.ticket == NULL || contest.guarded == NULL)
    skip("no shmem_ptr here, nowhere to put a ticket lock");
  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  for (int i = 0; i < BATCHES; ++i) {
    ours_ns[i] = turn_ns(ours, &contest, "lock of the library");
    control_ns[i] = turn_ns(control, &contest, "ticket lock");
  }
  check(&contest);
  report_both(me == 0, ours_ns, control_ns, BATCHES, "lock_contended_%d", ranks);
  end_shmem();
}
