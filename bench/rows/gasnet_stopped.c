// The cost of sending to rank 1, which polls all the time, while rank 2 is stopped (SIGSTOP), its
// queue is full, and rank 0 retries it: the dynamic schedule in blocks of five. The control is the
// same schedule for rank 1 alone, while rank 2 sleeps. The figure is the time per message, until
// rank 1 has announced that all were handled.
#include "gasnet_schedule.h"

#include <signal.h>
#include <unistd.h>

enum { BATCHES = 20, MESSAGES = 2000, BLOCK = 5, LOOK_NS = 500000, MOST_ROOM = 100000 };
enum { HANDLER = GEX_AM_INDEX_BASE, ALL_HANDLED };

// The state of rank 2, in its segment.
struct sleeper {
  _Atomic int64_t process;
  _Atomic uint64_t batch;  // the batch whose messages it may handle
  _Atomic uint64_t sent;   // messages sent to it, in all batches
};

static uint64_t acknowledged[3];  // by rank

static void all_handled(gex_Token_t token, gex_AM_Arg_t rank) {
  (void)token;
  ++acknowledged[rank];
}

static void acknowledge(const struct job* job) {
  gex_AM_RequestShort1(job->team, 0, ALL_HANDLED, 0, (gex_AM_Arg_t)job->rank);
}

// Ends when rank 1 has everything; messages that rank 2 refuses are not sent.
static double time_batch(const struct schedule* s) {
  const uint64_t next = acknowledged[1] + 1;
  size_t left = s->messages;
  const int64_t start = now_ns();
  while (left > 0) {
    left -= send_while_there_is_room(s, 1, least(s->block, left));
    for (gex_Rank_t to = 2; to <= s->last; ++to) send_while_there_is_room(s, to, s->block);
  }
  GASNET_BLOCKUNTIL(acknowledged[1] == next);
  return ns_per_op(now_ns() - start, s->messages);
}

static double time_beside_stopped(struct schedule* s, struct sleeper* sleeper) {
  const pid_t process = (pid_t)atomic_load(&sleeper->process);
  require(kill(process, SIGSTOP) == 0, "rank 2 cannot be stopped");
  s->last = 2;
  require(send_while_there_is_room(s, 2, MOST_ROOM) < MOST_ROOM, "a stopped rank takes everything");
  const size_t to_stopped = messages_sent[2];
  const double time = time_batch(s);
  require(messages_sent[2] == to_stopped, "a stopped rank takes more than it had room for");
  require(kill(process, SIGCONT) == 0, "rank 2 cannot be continued");
  s->last = 1;
  return time;
}

static void send_all(struct schedule* s) {
  struct sleeper* sleeper = (struct sleeper*)(void*)window_of(s->job, 2).mapped;
  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  for (uint64_t i = 0; i < BATCHES; ++i) {
    control_ns[i] = time_batch(s);
    ours_ns[i] = time_beside_stopped(s, sleeper);
    atomic_store(&sleeper->sent, messages_sent[2]);
    atomic_store(&sleeper->batch, i + 1);
    GASNET_BLOCKUNTIL(acknowledged[2] == i + 1);
  }
  report_both(1, ours_ns, control_ns, BATCHES, "gasnet_stopped");
}

static void take_all(const struct job* job) {
  for (uint64_t batch = 1; batch <= 2 * BATCHES; ++batch) {
    GASNET_BLOCKUNTIL(handled == batch * MESSAGES);
    acknowledge(job);
  }
}

static void sleep_and_take(const struct job* job, struct sleeper* mine) {
  const struct timespec look = {0, LOOK_NS};
  for (uint64_t batch = 1; batch <= BATCHES; ++batch) {
    while (atomic_load(&mine->batch) < batch) nanosleep(&look, NULL);
    GASNET_BLOCKUNTIL(handled == atomic_load(&mine->sent));
    acknowledge(job);
  }
}

int main(void) {
  gex_AM_Entry_t handlers[] = {
      {HANDLER, (gex_AM_Fn_t)on_message, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, NULL,
       "handler"},
      {ALL_HANDLED, (gex_AM_Fn_t)all_handled, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL,
       "all_handled"},
  };
  const struct job job = start_job(handlers, sizeof handlers / sizeof *handlers, GASNET_PAGESIZE);
  require(job.ranks == 3, "three ranks are needed");
  struct sleeper* mine = (struct sleeper*)(void*)window_of(&job, job.rank).mapped;
  memset(mine, 0, sizeof *mine);
  atomic_store(&mine->process, getpid());
  meet(&job);
  struct schedule schedule = {&job, HANDLER, 1, MESSAGES, BLOCK};
  if (job.rank == 0) send_all(&schedule);
  if (job.rank == 1) take_all(&job);
  if (job.rank == 2) sleep_and_take(&job, mine);
  end_job(&job);
}
