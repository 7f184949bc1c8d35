// Collectives of all ranks. BYTES is the size of a vector of doubles (sums), of the buffer of rank
// 0 (broadcast), of the contribution of each rank (fcollect) or the average contribution (collect:
// even ranks 1.5 BYTES, odd ones BYTES / 2, and no rank knows the sizes of the others), or of all
// bytes that a rank sends (alltoall). Usage: collectives
// sum_reduce|sum_inscan|broadcast|fcollect|collect|alltoall [BYTES] [BATCHES]
#include "collectives.h"

static size_t n;       // ranks
static size_t length;  // BYTES in elements (double or long)
static int is_uneven;  // the contributions

static long element(size_t from, size_t to, size_t i) {
  return (long)(from << 48 | to << 32 | i);
}

static int came_from(size_t from, size_t to, const long* elements, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (elements[i] != element(from, to, i)) return 0;
  }
  return 1;
}

static size_t contribution(size_t rank) {
  const size_t half = is_uneven ? length / 2 : 0;
  return rank % 2 == 0 ? length + half : length - half;
}

static int are_sums(const double* sums, size_t of) {
  const size_t of_ranks = of * (of - 1) / 2;
  for (size_t i = 0; i < length; ++i) {
    if (sums[i] != (double)(i * of + of_ranks)) return 0;
  }
  return 1;
}

static int is_reduced(const void* to) {
  return are_sums(to, n);
}

static int is_sent(const void* to) {
  return (me == 0 && !ROOT_GETS_A_COPY) || came_from(0, 0, to, length);
}

static int is_collected(const void* to) {
  const long* next = to;
  for (size_t rank = 0; rank < n; next += contribution(rank++)) {
    if (!came_from(rank, 0, next, contribution(rank))) return 0;
  }
  return 1;
}

static int is_exchanged(const void* to) {
  const size_t block = length / n;
  for (size_t rank = 0; rank < n; ++rank) {
    if (!came_from(rank, (size_t)me, (const long*)to + rank * block, block)) return 0;
  }
  return 1;
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5

static void scan_doubles(struct scratch* scratch, const struct call* c) {
  (void)scratch;
  shmem_double_sum_inscan(SHMEM_TEAM_WORLD, c->to, c->from, c->bytes / sizeof(double));
}

static int is_scanned(const void* to) {
  return are_sums(to, (size_t)me + 1);
}

#endif

static struct collective collectives[] = {
    {.name = "sum_reduce",
     .run = sum_doubles,
     .right = is_reduced,
     .readiness = EVERY_RANK_HAS_BEGUN},
    {.name = "broadcast", .run = broadcast_bytes, .right = is_sent, .readiness = NOTHING_IS_KNOWN},
    {.name = "fcollect",
     .run = fcollect_bytes,
     .right = is_collected,
     .readiness = EVERY_RANK_HAS_BEGUN},
    {.name = "collect",
     .run = collect_bytes,
     .right = is_collected,
     .readiness = EVERY_RANK_HAS_BEGUN},
    {.name = "alltoall",
     .run = alltoall_bytes,
     .right = is_exchanged,
     .readiness = EVERY_RANK_HAS_BEGUN},
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
    {.name = "sum_inscan", .run = scan_doubles, .right = is_scanned, .readiness = NOTHING_IS_KNOWN},
#endif
};

static struct collective* find(const char* name) {
  for (size_t i = 0; i < sizeof collectives / sizeof *collectives; ++i) {
    if (strcmp(collectives[i].name, name) == 0) return &collectives[i];
  }
  fail("there is no %s here", name);
}

static void fill(const struct collective* c) {
  const size_t blocks = c->run == alltoall_bytes ? n : 1;
  const size_t count = c->bytes / sizeof(long);
  for (size_t to = 0; to < blocks; ++to) {
    for (size_t i = 0; i < count; ++i) {
      if (strncmp(c->name, "sum", 3) == 0)
        ((double*)c->from)[i] = (double)(i + (size_t)me);
      else
        ((long*)c->from)[to * count + i] = element((size_t)me, to, i);
    }
  }
}

int main(int argc, char** argv) {
  struct collective* c = find(argc > 1 ? argv[1] : "sum_reduce");
  const size_t bytes = argument(argc, argv, 2, 64 << 10);
  start_shmem();
  n = (size_t)ranks;
  length = bytes / sizeof(long);
  is_uneven = c->run == collect_bytes;
  c->from = shmem_malloc(2 * bytes);  // the same size everywhere, as symmetric memory requires
  c->bytes = (c->run == alltoall_bytes ? length / n : contribution((size_t)me)) * sizeof(long);
  fill(c);
  new_results(c, c->right == is_collected ? bytes * (n + 1) : bytes);
  time_collective(c, argument(argc, argv, 3, 40));
  end_shmem();
}
