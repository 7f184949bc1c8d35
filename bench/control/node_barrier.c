// A barrier of processes on two nodes, played by two groups on one machine. A group meets at a
// counter, polling and yielding. The first members then exchange a byte over TCP and release their
// groups. Prints the latency at process 0. Usage: node_barrier PROCESSES
#include "../common/barriers.h"
#include "../common/crew.h"
#include "../common/tcp.h"

enum { SAMPLES = 1000, WARM_UP = 100 };

struct meeting {
  _Alignas(LINE_PAIR) _Atomic uint32_t arrived;
  _Alignas(LINE_PAIR) _Atomic uint32_t round;
};

static void meet(struct meeting* here, uint32_t others) {
  while (atomic_load_explicit(&here->arrived, memory_order_acquire) < others) sched_yield();
  atomic_store_explicit(&here->arrived, 0, memory_order_relaxed);
}

// `peer`: the connection of the first member of a group; other members have none.
static void pass(struct meeting* here, uint32_t others, int peer) {
  if (peer < 0) {
    const uint32_t round = atomic_load_explicit(&here->round, memory_order_relaxed);
    atomic_fetch_add_explicit(&here->arrived, 1, memory_order_acq_rel);
    wait_for_change(&here->round, round, WAIT_YIELD);
    return;
  }
  char word = 0;
  meet(here, others);
  send_all(peer, &word, 1);
  receive_yielding(peer, &word, 1, 1);
  atomic_fetch_add_explicit(&here->round, 1, memory_order_release);
}

int main(int argc, char** argv) {
  const size_t processes = argument(argc, argv, 1, 4);
  const int in_group = (int)processes / 2;
  struct meeting* groups = shared_pages(2 * sizeof *groups);
  struct sockaddr_in at;
  const int listener = listen_here(&at);
  const int rank = start_crew((int)processes);
  int peer = -1;
  if (rank == 0) peer = accept_one(listener);
  if (rank == in_group) peer = connect_to(&at);
  struct meeting* here = &groups[rank / in_group];
  double* samples = new_samples(SAMPLES);
  for (int i = -WARM_UP; i < SAMPLES; ++i) {
    const int64_t start = now_ns();
    pass(here, (uint32_t)in_group - 1, peer);
    if (i >= 0) samples[i] = (double)(now_ns() - start);
  }
  end_crew(rank);
  char name[64];
  snprintf(name, sizeof name, "node_barrier_%zu", processes);
  report(name, "control", samples, SAMPLES);
  return 0;
}
