/* Every collective, on teams and on active sets, between global variables. */
#include <shmem.h>
#include <stdio.h>

#define RANKS 7
#define MOST 5000 /* elements of a block: more than small ways can carry */
#define STRIDE 2

static long source[RANKS * MOST * STRIDE];
static long dest[RANKS * MOST * STRIDE];
static long work[MOST / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long flags[SHMEM_SYNC_SIZE];

static int me;
static int ranks;
static int failures = 0;

static const long untouched = -1;

static long term(int rank, long i) {
  return 1000L * (rank + 1) + i;
}

static long sum_of_first(int members, long i) {
  long sum = 0;
  for (int rank = 0; rank < members; ++rank) sum += term(rank, i);
  return sum;
}

/* No rank begins before all are ready: any other rank may write to dest. */
static void prepare(void) {
  for (long i = 0; i < RANKS * MOST * STRIDE; ++i) {
    source[i] = term(me, i);
    dest[i] = untouched;
  }
  shmem_barrier_all();
}

static void expect(long found, long wanted, const char* call, long count, long i) {
  if (found == wanted || failures++ > 0) return;
  fprintf(stderr, "rank %d: %s of %ld: element %ld is %ld, not %ld\n", me, call, count, i, found,
          wanted);
}

/* Unwritten elements must be unchanged, and pSync restored. */
static void expect_rest(long from, const char* call, long count) {
  for (long i = from; i < RANKS * MOST * STRIDE; ++i) expect(dest[i], untouched, call, count, i);
  for (long i = 0; i < SHMEM_SYNC_SIZE; ++i) expect(flags[i], SHMEM_SYNC_VALUE, call, count, i);
  shmem_barrier_all();
}

static void expect_broadcast(const char* call, long count, int root, int root_has_it) {
  const long copied = me == root && !root_has_it ? 0 : count;
  for (long i = 0; i < copied; ++i) expect(dest[i], term(root, i), call, count, i);
  expect_rest(copied, call, count);
}

static void broadcast(long count) {
  const int root = ranks - 1;
  prepare();
  shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, (size_t)count, root);
  expect_broadcast("shmem_long_broadcast", count, root, 1);
  prepare();
  shmem_broadcast64(dest, source, (size_t)count, root, 0, 0, ranks, flags);
  expect_broadcast("shmem_broadcast64", count, root, 0);
}

static void expect_fcollect(const char* call, long count) {
  for (int rank = 0; rank < ranks; ++rank)
    for (long i = 0; i < count; ++i)
      expect(dest[rank * count + i], term(rank, i), call, count, rank * count + i);
  expect_rest(ranks * count, call, count);
}

static void fcollect(long count) {
  prepare();
  shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, (size_t)count);
  expect_fcollect("shmem_long_fcollect", count);
  prepare();
  shmem_fcollect64(dest, source, (size_t)count, 0, 0, ranks, flags);
  expect_fcollect("shmem_fcollect64", count);
}

/* The first rank has no elements, the last one most. */
static long share(int rank, long count) {
  return rank == 0 ? 0 : count / ranks * (rank + 1);
}

static void expect_collect(const char* call, long count) {
  long at = 0;
  for (int rank = 0; rank < ranks; ++rank)
    for (long i = 0; i < share(rank, count); ++i, ++at)
      expect(dest[at], term(rank, i), call, count, at);
  expect_rest(at, call, count);
}

static void collect(long count) {
  prepare();
  shmem_long_collect(SHMEM_TEAM_WORLD, dest, source, (size_t)share(me, count));
  expect_collect("shmem_long_collect", count);
  prepare();
  shmem_collect64(dest, source, (size_t)share(me, count), 0, 0, ranks, flags);
  expect_collect("shmem_collect64", count);
}

/* The call writes nothing between the elements of a block. */
static void expect_alltoall(const char* call, long count, long stride) {
  const long blocks = ranks * count * stride;
  for (long at = 0; at < blocks; ++at) {
    const int rank = (int)(at / (count * stride));
    const long wanted = term(rank, me * count * stride + at % (count * stride));
    expect(dest[at], at % stride == 0 ? wanted : untouched, call, count, at);
  }
  expect_rest(blocks, call, count);
}

static void alltoall(long count) {
  prepare();
  shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, (size_t)count);
  expect_alltoall("shmem_long_alltoall", count, 1);
  prepare();
  shmem_alltoall64(dest, source, (size_t)count, 0, 0, ranks, flags);
  expect_alltoall("shmem_alltoall64", count, 1);
  prepare();
  shmem_long_alltoalls(SHMEM_TEAM_WORLD, dest, source, STRIDE, STRIDE, (size_t)count);
  expect_alltoall("shmem_long_alltoalls", count, STRIDE);
  prepare();
  shmem_alltoalls64(dest, source, STRIDE, STRIDE, (size_t)count, 0, 0, ranks, flags);
  expect_alltoall("shmem_alltoalls64", count, STRIDE);
}

/* The sums are in `result`, which may be source. */
static void expect_sums(const long* result, const char* call, long count, int members) {
  for (long i = 0; i < count; ++i) expect(result[i], sum_of_first(members, i), call, count, i);
  expect_rest(result == dest ? count : 0, call, count);
}

static void reduce(long count, long* result) {
  prepare();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, result, source, (size_t)count);
  expect_sums(result, "shmem_long_sum_reduce", count, ranks);
  prepare();
  shmem_long_sum_to_all(result, source, (int)count, 0, 0, ranks, work, flags);
  expect_sums(result, "shmem_long_sum_to_all", count, ranks);
}

static void scan(long count, long* result) {
  prepare();
  shmem_long_sum_inscan(SHMEM_TEAM_WORLD, result, source, (size_t)count);
  expect_sums(result, "shmem_long_sum_inscan", count, me + 1);
  prepare();
  shmem_long_sum_exscan(SHMEM_TEAM_WORLD, result, source, (size_t)count);
  expect_sums(result, "shmem_long_sum_exscan", count, me);
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  ranks = shmem_n_pes();
  for (long i = 0; i < SHMEM_SYNC_SIZE; ++i) flags[i] = SHMEM_SYNC_VALUE;
  const long counts[] = {0, 7, MOST};
  for (int i = 0; i < 3; ++i) {
    broadcast(counts[i]);
    fcollect(counts[i]);
    collect(counts[i]);
    alltoall(counts[i]);
    reduce(counts[i], dest);
    reduce(counts[i], source);
    scan(counts[i], dest);
    scan(counts[i], source);
  }
  shmem_finalize();
  return failures != 0;
}
