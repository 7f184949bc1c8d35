// The minimum cost of a collective of processes on two nodes, simulated by two groups on one
// machine. The first member of each group waits for the others, exchanges the bytes that must cross
// by puts of bare libfabric, and releases them. The others yield or sleep. Both nodes send a word
// for barrier, a vector of BYTES for reduce, and all blocks of BYTES for the other node for
// alltoall. One node sends a vector for broadcast, and the other a word after every second call, as
// in the row. Prints NAME_BYTES_nodes_KIND_PROCESSES. Usage: node_collective yield|futex
// barrier|reduce|broadcast|alltoall PROCESSES [BYTES]
#include "../common/crew.h"
#include "../common/group.h"
#include "../common/wire.h"

enum { BATCHES = 40, CALLS = 50, RESULTS = 2, WORD = sizeof(uint64_t), SOURCES = WIRE_MEMORY / 2 };

struct plan {
  const char* kind;
  enum wait_kind how;
  const char* name;
  size_t processes;
  size_t in_group;
  size_t bytes;
  size_t crossing;  // bytes sent from one node to the other
  bool is_broadcast;
};

struct shared {
  struct wire_names names;
  struct group groups[2];
};

// Puts that arrive complete at index `call % RESULTS`: their last word is the number of the call.
struct exchange {
  struct wire wire;
  uint64_t posted;
};

static uint64_t* last_word(struct exchange* e, size_t base, size_t place, size_t bytes) {
  return (uint64_t*)(void*)(e->wire.memory + base + place + bytes - WORD);
}

// Yields, because other processes need the processor.
static void progress(struct exchange* e) {
  if (!look(&e->wire)) sched_yield();
}

static void post(struct exchange* e, uint64_t call, size_t bytes) {
  const size_t place = call % RESULTS * bytes;
  while (e->wire.done < e->posted) progress(e);  // the source can be reused
  *last_word(e, SOURCES, place, bytes) = call;
  ssize_t outcome;
  while ((outcome = put_from(&e->wire, e->wire.memory + SOURCES + place, place, bytes,
                             FI_COMPLETION)) == -FI_EAGAIN)
    progress(e);
  must("put", outcome);
  ++e->posted;
}

static void expect(struct exchange* e, uint64_t call, size_t bytes) {
  const uint64_t* word = last_word(e, 0, call % RESULTS * bytes, bytes);
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < call) progress(e);
}

static void cross(const struct plan* plan, struct exchange* e, size_t side, uint64_t call) {
  const bool both = !plan->is_broadcast;
  const size_t back = both ? plan->crossing : WORD;
  const bool answers = both || call % RESULTS == 0;
  if (side == 0) {
    post(e, call, plan->crossing);
    if (answers) expect(e, call, back);
    return;
  }
  if (both) post(e, call, back);
  expect(e, call, plan->crossing);
  if (!both && answers) post(e, call, back);
}

static void run_batch(const struct plan* plan, struct shared* shared, struct exchange* e,
                      size_t rank, uint64_t first) {
  const size_t side = rank / plan->in_group;
  struct group* here = &shared->groups[side];
  for (uint64_t call = first; call < first + CALLS; ++call) {
    if (e == NULL) {
      follow(here, plan->how);
      continue;
    }
    gather(here, (uint32_t)plan->in_group - 1);
    cross(plan, e, side, call);
    release(here, plan->how);
  }
}

static void measure(const struct plan* plan) {
  struct shared* shared = shared_pages(sizeof *shared);
  const size_t rank = (size_t)start_crew((int)plan->processes);
  static struct exchange exchange;
  struct exchange* e = rank % plan->in_group == 0 ? &exchange : NULL;
  if (e != NULL) open_wire(&e->wire, &shared->names, rank != 0);
  double* samples = new_samples(BATCHES);
  uint64_t call = 1;
  for (int i = -1; i < BATCHES; ++i, call += CALLS) {
    const int64_t start = now_ns();
    run_batch(plan, shared, e, rank, call);
    if (i >= 0) samples[i] = ns_per_op(now_ns() - start, CALLS);
  }
  while (e != NULL && e->wire.done < e->posted) progress(e);
  end_crew((int)rank);
  char name[64];
  snprintf(name, sizeof name, "%s_%zu_nodes_%s_%zu", plan->name, plan->bytes, plan->kind,
           plan->processes);
  report(name, "control", samples, BATCHES);
}

int main(int argc, char** argv) {
  struct plan plan = {.kind = argc > 1 ? argv[1] : "yield",
                      .name = argc > 2 ? argv[2] : "barrier",
                      .processes = argument(argc, argv, 3, 4),
                      .bytes = argument(argc, argv, 4, WORD)};
  plan.how = strcmp(plan.kind, "futex") == 0 ? WAIT_FUTEX : WAIT_YIELD;
  plan.in_group = plan.processes / 2;
  plan.is_broadcast = strcmp(plan.name, "broadcast") == 0;
  const bool is_alltoall = strcmp(plan.name, "alltoall") == 0;
  plan.crossing = is_alltoall ? plan.in_group * plan.in_group * plan.bytes : plan.bytes;
  require(plan.processes >= 2 && plan.processes % 2 == 0 && plan.bytes >= WORD &&
              plan.bytes % WORD == 0 && RESULTS * plan.crossing <= SOURCES,
          "expected an even number of processes, and whole words that fit");
  measure(&plan);
  return 0;
}
