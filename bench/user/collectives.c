// The measurements of `gondwana bench collectives`, of each door: a barrier, a broadcast from rank
// 0 and a sum over all ranks.
//
// A barrier follows each broadcast and each sum, so all ranks have the result when the time ends.
// The control does the same with a central barrier and the mapped memory of the ranks, without a
// library. Rank 0 prints a line for each round: measurement, bytes, nanoseconds of one operation
// and of its control, or "-" if a rank does not map all others. If there is a processor for each
// rank, each rank is bound to one. Usage: collectives collectives ROUNDS SMALLEST LARGEST
#include "door.h"

enum { SMALL_OPS = 50, LARGE_BATCH_BYTES = 1 << 20 };

// The shared memory of a rank: a barrier (only rank 0's is used), then source and target.
struct ranks {
  enum wait_kind how;
  char** blocks;  // the block of each rank, as mapped here; NULL: not mapped
  int has_control;
  long* source;
  long* target;
};

typedef void operation(struct ranks* r, size_t words);

static size_t block_bytes(size_t largest_words) {
  return sizeof(struct central_barrier) + 2 * largest_words * sizeof(long);
}

static long* source_in(char* block) {
  return (long*)(void*)(block + sizeof(struct central_barrier));
}

static void barrier(struct ranks* r, size_t words) {
  (void)r, (void)words;
  meet_all();
}

static void broadcast(struct ranks* r, size_t words) {
  broadcast_words(r->target, r->source, words);
  meet_all();
}

static void sum(struct ranks* r, size_t words) {
  sum_words(r->target, r->source, words);
  meet_all();
}

static void plain_barrier(struct ranks* r, size_t words) {
  (void)words;
  central_wait((struct central_barrier*)(void*)r->blocks[0], (uint32_t)ranks, r->how);
}

// The first barrier ensures that the sources are ready.
static void plain_broadcast(struct ranks* r, size_t words) {
  plain_barrier(r, 0);
  if (me != 0) memcpy(r->target, source_in(r->blocks[0]), words * sizeof *r->target);
  plain_barrier(r, 0);
}

static void plain_sum(struct ranks* r, size_t words) {
  long* target = r->target;
  plain_barrier(r, 0);
  memcpy(target, source_in(r->blocks[0]), words * sizeof *target);
  for (int rank = 1; rank < ranks; ++rank) {
    const long* source = source_in(r->blocks[rank]);
    for (size_t i = 0; i < words; ++i) target[i] += source[i];
  }
  plain_barrier(r, 0);
}

static int is_copy(const struct ranks* r, size_t words) {
  for (size_t i = 0; me != 0 && i < words; ++i) {
    if (r->target[i] != (long)i) return 0;
  }
  return 1;
}

static int is_sum(const struct ranks* r, size_t words) {
  const long count = ranks;
  for (size_t i = 0; i < words; ++i) {
    if (r->target[i] != count * (long)i + count * (count - 1) / 2) return 0;
  }
  return 1;
}

struct measurement {
  const char* name;
  operation* ours;
  operation* control;
  int (*is_right)(const struct ranks* r, size_t words);  // NULL: the operation moves nothing
};

static double time_of(operation* run, struct ranks* r, size_t words, size_t ops) {
  meet_all();
  const int64_t start = now_ns();
  for (size_t i = 0; i < ops; ++i) run(r, words);
  return ns_per_op(now_ns() - start, ops);
}

static void check(const struct measurement* m, operation* run, struct ranks* r, size_t words) {
  const size_t bytes = words * sizeof *r->target;
  memset(r->target, 0, bytes);
  meet_all();
  run(r, words);
  if (m->is_right != NULL && !m->is_right(r, words))
    fail("a wrong result of %s of %zu bytes", m->name, bytes);
}

static size_t ops_of_a_batch(size_t bytes) {
  if (bytes <= LARGE_BATCH_BYTES / SMALL_OPS) return SMALL_OPS;
  return bytes < LARGE_BATCH_BYTES ? LARGE_BATCH_BYTES / bytes : 1;
}

static void measure(const struct measurement* m, struct ranks* r, size_t words, size_t rounds) {
  const size_t bytes = words * sizeof *r->target;
  const size_t ops = ops_of_a_batch(bytes);
  check(m, m->ours, r, words);
  if (r->has_control) check(m, m->control, r, words);
  for (size_t round = 0; round < rounds; ++round) {
    const double ours = time_of(m->ours, r, words, ops);
    const double control = r->has_control ? time_of(m->control, r, words, ops) : 0;
    if (me == 0) print_round(m->name, bytes, ours, r->has_control ? control : -1);
  }
  fflush(stdout);
}

// All ranks must agree: if one of them does not map another rank, none has a control.
static void agree_on_control(struct ranks* r) {
  r->source[0] = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (r->blocks[rank] == NULL) r->source[0] = 1;
  }
  meet_all();
  sum(r, 1);
  r->has_control = r->target[0] == 0;
}

static const struct measurement measurements[] = {
    {"barrier", barrier, plain_barrier, NULL},
    {"broadcast", broadcast, plain_broadcast, is_copy},
    {"sum", sum, plain_sum, is_sum},
};

static struct ranks map_ranks(size_t largest) {
  struct ranks r = {.how = usual_wait(ranks)};
  r.blocks = (char**)calloc((size_t)ranks, sizeof *r.blocks);
  require(r.blocks != NULL, "no memory");
  for (int rank = 0; rank < ranks; ++rank) r.blocks[rank] = block_of(rank).mapped;
  memset(r.blocks[me], 0, block_bytes(largest));
  r.source = source_in(r.blocks[me]);
  r.target = r.source + largest;
  return r;
}

// Sizes are in words.
int main(int argc, char** argv) {
  const size_t rounds = argument(argc, argv, 2, 20);
  const size_t smallest = argument(argc, argv, 3, sizeof(long)) / sizeof(long);
  const size_t largest = argument(argc, argv, 4, 1 << 20) / sizeof(long);
  start_door(argc, argv, block_bytes(largest));
  start_collectives(largest);
  struct ranks r = map_ranks(largest);
  agree_on_control(&r);
  for (size_t i = 0; i < largest; ++i) r.source[i] = (long)i + me;
  for (size_t i = 0; i < sizeof measurements / sizeof *measurements; ++i) {
    const struct measurement* m = &measurements[i];
    if (m->is_right == NULL) {
      measure(m, &r, 0, rounds);
      continue;
    }
    for (size_t words = smallest; words <= largest; words *= 2) measure(m, &r, words, rounds);
  }
  end_door();
}
