// A barrier of processes on two nodes, simulated by two groups on one machine. A group meets at a
// counter, polling and yielding. The first members then exchange a byte over TCP and release their
// groups. Prints the latency at process 0. Usage: node_barrier PROCESSES
#include "../common/crew.h"
#include "../common/group.h"
#include "../common/tcp.h"

enum { SAMPLES = 1000, WARM_UP = 100 };

// `peer`: the connection of the first member of a group; other members have none.
static void pass(struct group* here, uint32_t others, int peer) {
  if (peer < 0) {
    follow(here, WAIT_YIELD);
    return;
  }
  char word = 0;
  gather(here, others);
  send_all(peer, &word, 1);
  receive_yielding(peer, &word, 1, 1);
  release(here, WAIT_YIELD);
}

int main(int argc, char** argv) {
  const size_t processes = argument(argc, argv, 1, 4);
  const int in_group = (int)processes / 2;
  struct group* groups = shared_pages(2 * sizeof *groups);
  struct sockaddr_in at;
  const int listener = listen_here(&at);
  const int rank = start_crew((int)processes);
  int peer = -1;
  if (rank == 0) peer = accept_one(listener);
  if (rank == in_group) peer = connect_to(&at);
  struct group* here = &groups[rank < in_group ? 0 : 1];
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
