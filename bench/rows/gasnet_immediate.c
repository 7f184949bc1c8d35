// Rank 0 sends MESSAGES Mediums, the same number to each other rank, and all meet. The others sleep
// 500 us between two polls. The figure is the time of rank 0, by the static and by the dynamic
// schedule.
//
// The control uses no library. Each sleeper has a ring in its segment with as many places as the
// library had room for (also a figure), and empties it whenever it wakes. Rank 0 copies into any
// free place. That takes the time of the copies or of the sleeps, whichever is longer.
//
// Figures gasnet_static_RANKS_BLOCK, gasnet_dynamic_RANKS_BLOCK and gasnet_room_RANKS. BLOCK 0 is
// all messages of a rank. Usage: gasnet_immediate [MESSAGES] [BLOCK]...
#include "gasnet_schedule.h"

enum { REPEATS = 3, MOST_PLACES = 1024, PLACE_BYTES = 4096 };
enum { HANDLER = GEX_AM_INDEX_BASE };

struct ring {
  _Alignas(LINE_PAIR) _Atomic uint64_t filled;  // by rank 0
  _Atomic uint64_t is_over;                     // the last phase that rank 0 has ended
  _Atomic uint64_t sent;                        // messages sent by the library
  _Atomic uint64_t sleeps;                      // its owner is outside the library
  _Alignas(LINE_PAIR) _Atomic uint64_t emptied;
  _Alignas(PLACE_BYTES) char places[MOST_PLACES][PLACE_BYTES];
};

static struct ring* ring_of(const struct job* job, gex_Rank_t rank) {
  return (struct ring*)(void*)window_of(job, rank).mapped;
}

static void sleep_until_over(struct ring* ring, uint64_t phase) {
  while (atomic_load(&ring->is_over) < phase) {
    sleep_once();
    atomic_store(&ring->emptied, atomic_load(&ring->filled));
  }
}

static void say_it_is_over(const struct job* job, uint64_t phase) {
  for (gex_Rank_t to = 1; to < job->ranks; ++to) atomic_store(&ring_of(job, to)->is_over, phase);
}

// Returns how many messages fit into the queue of a rank that does not poll.
static size_t find_room(const struct schedule* s, uint64_t phase) {
  struct ring* ring = ring_of(s->job, s->job->rank);
  meet(s->job);
  if (s->job->rank == 0) {
    while (atomic_load(&ring_of(s->job, 1)->sleeps) == 0) sleep_once();
    const size_t room = send_while_there_is_room(s, 1, MOST_PLACES);
    atomic_store(&ring_of(s->job, 1)->sent, room);
    say_it_is_over(s->job, phase);
    meet(s->job);
    return room;
  }
  atomic_store(&ring->sleeps, 1);
  sleep_until_over(ring, phase);
  GASNET_BLOCKUNTIL(handled == atomic_load(&ring->sent));
  handled = numbers = 0;
  meet(s->job);
  return 0;
}

// One turn of the control: copies if there is space, at most one block per rank.
static size_t fill_rings(const struct schedule* s, struct ring** rings, size_t room, size_t* left) {
  size_t all = 0;
  require(room > 0, "a rank that does not poll has no room");
  for (gex_Rank_t to = 1; to <= s->last; ++to) {
    struct ring* ring = rings[to];
    uint64_t filled = atomic_load_explicit(&ring->filled, memory_order_relaxed);
    size_t places = room - (filled - atomic_load_explicit(&ring->emptied, memory_order_acquire));
    for (size_t i = 0; i < s->block && places > 0 && left[to] > 0; ++i, --places, --left[to]) {
      memcpy(ring->places[filled % room], message_payload, MESSAGE_BYTES);
      atomic_store_explicit(&ring->filled, ++filled, memory_order_release);
      ++all;
    }
  }
  return all;
}

static double time_control(const struct schedule* s, size_t room, uint64_t phase) {
  meet(s->job);
  if (s->job->rank != 0) {
    sleep_until_over(ring_of(s->job, s->job->rank), phase);
    meet(s->job);
    return 0;
  }
  struct ring* rings[MOST_RANKS];
  size_t left[MOST_RANKS];
  size_t all_left = s->messages * s->last;
  for (gex_Rank_t to = 1; to <= s->last; ++to) {
    rings[to] = ring_of(s->job, to);
    left[to] = s->messages;
  }
  const int64_t start = now_ns();
  while (all_left > 0) {
    const size_t copied = fill_rings(s, rings, room, left);
    if (copied == 0) relax();
    all_left -= copied;
  }
  say_it_is_over(s->job, phase);
  const int64_t time = now_ns() - start;
  meet(s->job);
  return (double)time;
}

static void report_way(const struct schedule* s, const char* way, size_t block, double* ours,
                       const double* control) {
  double* copy = new_samples(REPEATS);
  memcpy(copy, control, REPEATS * sizeof *copy);
  report_both(1, ours, copy, REPEATS, "gasnet_%s_%u_%zu", way, s->job->ranks, block);
}

static void measure(struct schedule* s, size_t block, size_t room, uint64_t* phase) {
  double* static_ns = new_samples(REPEATS);
  double* dynamic_ns = new_samples(REPEATS);
  double* control_ns = new_samples(REPEATS);
  s->block = block == 0 ? s->messages : block;
  for (int i = 0; i < REPEATS; ++i) {
    static_ns[i] = time_schedule(s, send_static);
    dynamic_ns[i] = time_schedule(s, send_dynamic);
    control_ns[i] = time_control(s, room, ++*phase);
  }
  if (s->job->rank != 0) return;
  report_way(s, "static", block, static_ns, control_ns);
  report_way(s, "dynamic", block, dynamic_ns, control_ns);
}

int main(int argc, char** argv) {
  gex_AM_Entry_t handlers[] = {{HANDLER, (gex_AM_Fn_t)on_message,
                                GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, NULL, "handler"}};
  const struct job job = start_job(handlers, 1, sizeof(struct ring));
  require(job.ranks >= 2 && job.ranks <= MOST_RANKS, "2 to 64 ranks are needed");
  memset(ring_of(&job, job.rank), 0, sizeof(struct ring));
  struct schedule schedule = {&job, HANDLER, job.ranks - 1,
                              argument(argc, argv, 1, 4000) / (job.ranks - 1), 1};
  uint64_t phase = 1;
  const size_t room = find_room(&schedule, phase);
  if (job.rank == 0)
    printf(
        "{\"name\": \"gasnet_room_%u\", \"side\": \"ours\", \"unit\": \"messages\", "
        "\"median\": %zu, \"p90\": %zu, \"mean\": %zu, \"samples\": 1}\n",
        job.ranks, room, room, room);
  for (int i = 2; i < argc || i == 2; ++i)
    measure(&schedule, argument(argc, argv, i, 1), room, &phase);
  end_job(&job);
}
