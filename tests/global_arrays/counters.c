// Counters that all ranks change: fetch-and-add, mutexes, and flags that follow data.
#include "patch.h"

static int created(const Type* type, int length) {
  int dims[1] = {length};
  const int array = NGA_Create(type->id, 1, dims, "counters", NULL);
  GA_Zero(array);
  return array;
}

static long element(int array, const Type* type, int at) {
  Value value = 0;
  NGA_Get(array, &at, &at, &value, NULL);
  return (long)creal(load(type, &value, 0));
}

// All ranks add to one element. The values that they fetch are different, and all are there.
static void contended_read_inc(const Type* type) {
  enum { rounds = 200, most_ranks = 64, number = 10 };
  static int seen[rounds * most_ranks];
  static int sum[rounds * most_ranks];
  const int array = created(type, number);
  int subscript[1] = {number - 1};
  long before = -1;
  for (int i = 0; i < rounds * ranks; ++i) seen[i] = 0;
  for (int round = 0; round < rounds; ++round) {
    const long fetched = NGA_Read_inc(array, subscript, 3);
    expect(fetched > before, 1, labelled("growth of fetched values", type), round);
    expect(fetched % 3, 0, labelled("remainder of fetched values", type), round);
    if (fetched >= 0 && fetched < 3L * rounds * ranks) ++seen[fetched / 3];
    before = fetched;
  }
  MPI_Allreduce(seen, sum, rounds * ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < rounds * ranks; ++i)
    expect(sum[i], 1, labelled("times that a value was fetched", type), i);
  expect(element(array, type, number - 1), 3L * rounds * ranks, labelled("NGA_Read_inc", type), 0);
  GA_Sync();
  GA_Destroy(array);
}

// All ranks add different amounts to elements of all owners.
static void read_inc_of_all(const Type* type) {
  enum { number = 100 };
  const int array = created(type, number);
  long wanted = 0;
  for (int rank = 0; rank < ranks; ++rank) wanted += rank % 2 == 0 ? rank + 1 : -2 * rank;
  for (int at = 0; at < number; at += 3) NGA_Read_inc(array, &at, me % 2 == 0 ? me + 1 : -2 * me);
  GA_Sync();
  for (int at = 0; at < number; ++at)
    expect(element(array, type, at), at % 3 == 0 ? wanted : 0, labelled("NGA_Read_inc", type), at);
  GA_Sync();
  GA_Destroy(array);
}

// Each mutex guards one counter, which ranks increment by get and put.
static void mutexes(void) {
  enum { number = 5, rounds = 30 };
  const int array = created(&types[1], number);
  expect(GA_Create_mutexes(number), 1, "GA_Create_mutexes", 0);
  for (int round = 0; round < rounds; ++round) {
    int at = (me + round) % number;
    long value = 0;
    GA_Lock(at);
    NGA_Get(array, &at, &at, &value, NULL);
    ++value;
    GA_Init_fence();
    NGA_Put(array, &at, &at, &value, NULL);
    GA_Fence();
    GA_Unlock(at);
  }
  GA_Sync();
  for (int at = 0; at < number; ++at)
    expect(element(array, &types[1], at), (long)rounds / number * ranks, "counter", at);
  expect(GA_Destroy_mutexes(), 1, "GA_Destroy_mutexes", 0);
  GA_Destroy(array);
}

// Each rank puts a row to its right neighbour, and then a flag. The fence orders the two.
static void fences(void) {
  enum { length = 500, rounds = 20 };
  int dims[2] = {ranks, length};
  int chunk[2] = {1, length};
  int flag_dims[1] = {ranks};
  const int data = NGA_Create(C_INT, 2, dims, "data", chunk);
  const int flags = NGA_Create(C_INT, 1, flag_dims, "flags", NULL);
  static int row[length];
  int right = (me + 1) % ranks;
  int lo[2] = {right, 0};
  int hi[2] = {right, length - 1};
  int ld[1] = {length};
  GA_Zero(flags);
  for (int round = 1; round <= rounds; ++round) {
    for (int i = 0; i < length; ++i) row[i] = round * 1000 + i;
    lo[0] = hi[0] = right;
    GA_Init_fence();
    NGA_Put(data, lo, hi, row, ld);
    GA_Fence();
    NGA_Read_inc(flags, &right, 1);
    while (NGA_Read_inc(flags, &me, 0) < round) continue;
    lo[0] = hi[0] = me;
    NGA_Get(data, lo, hi, row, ld);
    for (int i = 0; i < length; ++i) expect(row[i], round * 1000 + i, "data before a flag", i);
    GA_Sync();
  }
  GA_Destroy(flags);
  GA_Destroy(data);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int t = 0; t < 2; ++t) {  // C_INT and C_LONG: the types that NGA_Read_inc takes
    contended_read_inc(&types[t]);
    read_inc_of_all(&types[t]);
  }
  mutexes();
  fences();
  return finish();
}
