// Puts, gets and accumulates of one piece: all sizes and types, and their order on one location.
#include <stdint.h>

#include "job.h"

enum { area = 3 << 20, zone = 8192, elements = 37, rounds = 10 };

static const int sizes[] = {1,    2,    3,    4,    5,     7,     8,      9,      15,     16,
                            17,   63,   64,   65,   255,   257,   1000,   1023,   4095,   4096,
                            4097, 8191, 8192, 9999, 65535, 65536, 100001, 300003, 524289, 1 << 20};
enum { size_count = sizeof(sizes) / sizeof(sizes[0]) };

static unsigned char* blocks[job_most];
static unsigned char mine[area];
static unsigned char got[area];
static unsigned char expected[area];

// The right neighbour's whole block is compared, so that bytes around the piece are too.
static void put_and_get(int size) {
  const size_t start = (size_t)job_random(64);
  const size_t whole = start + (size_t)size + 64;
  unsigned char* there = blocks[job_right];
  job_fill(mine, whole);
  memcpy(expected, mine, whole);
  ARMCI_Put(mine, there, (int)whole, job_right);
  const size_t from = (size_t)job_random(64);
  job_fill(mine + from, (size_t)size);
  memcpy(expected + start, mine + from, (size_t)size);
  CHECK_INT(ARMCI_Put(mine + from, there + start, size, job_right), 0);
  memset(got, 0x55, whole);
  CHECK_INT(ARMCI_Get(there, got, (int)whole, job_right), 0);
  CHECK_BYTES(got, expected, whole);
  memset(got, 0x55, whole);
  memset(mine, 0x55, whole);
  memcpy(mine + from, expected + start, (size_t)size);
  CHECK_INT(PARMCI_Get(there + start, got + from, size, job_right), 0);
  CHECK_BYTES(got, mine, start + (size_t)size);
}

// Every process has a zone in every block, and private memory that others cannot name.
static void with_everyone(void) {
  static unsigned char zone_here[zone];
  static unsigned char zone_back[zone];
  job_fill(zone_here, zone);
  for (int i = 0; i < job_ranks; ++i)
    PARMCI_Put(zone_here + i, blocks[i] + job_me * zone, zone - i, i);
  for (int i = 0; i < job_ranks; ++i) {
    ARMCI_Get(blocks[i] + job_me * zone, zone_back, zone - i, i);
    CHECK_BYTES(zone_back, zone_here + i, (size_t)(zone - i));
  }
  ARMCI_Put(zone_here, zone_back, zone, job_me);
  CHECK_BYTES(zone_back, zone_here, zone);
  memset(zone_back, 0, zone);
  ARMCI_Copy(zone_here + 1, zone_back, zone - 1);
  CHECK_BYTES(zone_back, zone_here + 1, zone - 1);
  ARMCI_Copy(zone_here, zone_back, 0);
  CHECK_INT(ARMCI_Put(zone_here, blocks[job_right], 0, job_right), 0);
  CHECK_INT(ARMCI_Get(blocks[job_right], zone_here, 0, job_right), 0);
}

// All processes add to the same elements of all. The sums are exact in each type.
#define CONTEND(TYPE, name, parts)                                                              \
  static void contend_##name(int datatype) {                                                    \
    TYPE source[elements * (parts)];                                                            \
    TYPE scale[2] = {3, -2};                                                                    \
    const int bytes = (int)sizeof(source);                                                      \
    TYPE* own = (TYPE*)(void*)blocks[job_me];                                                   \
    for (int i = 0; i < elements * (parts); ++i) own[i] = (TYPE)i;                              \
    for (int i = 0; i < elements * (parts); ++i) source[i] = (TYPE)(job_me + i);                \
    ARMCI_Barrier();                                                                            \
    for (int round = 0; round < rounds; ++round)                                                \
      for (int i = 0; i < job_ranks; ++i)                                                       \
        CHECK_INT(                                                                              \
            (round % 2 ? ARMCI_Acc : PARMCI_Acc)(datatype, scale, source, blocks[i], bytes, i), \
            0);                                                                                 \
    ARMCI_Barrier();                                                                            \
    for (int i = 0; i < elements * (parts); ++i) {                                              \
      double sum = i;                                                                           \
      for (int j = 0; j < job_ranks; ++j) {                                                     \
        const double even = j + i - i % (parts);                                                \
        const double odd = even + 1;                                                            \
        if ((parts) == 1) sum += rounds * 3 * (double)(j + i);                                  \
        if ((parts) == 2 && i % 2 == 0) sum += rounds * (3 * even + 2 * odd);                   \
        if ((parts) == 2 && i % 2 == 1) sum += rounds * (3 * odd - 2 * even);                   \
      }                                                                                         \
      CHECK_REAL((double)own[i], sum);                                                          \
    }                                                                                           \
    ARMCI_Barrier();                                                                            \
  }

CONTEND(int, int, 1)
CONTEND(long, long, 1)
CONTEND(float, float, 1)
CONTEND(double, double, 1)
CONTEND(float, float_complex, 2)
CONTEND(double, double_complex, 2)

// A complex number lies in two stripes of 16 KiB, and doubles share its halves.
static void accumulate_at_an_edge(void) {
  enum { stripe = 16384, times = 5000 };
  long edge = stripe - (long)((uintptr_t)blocks[0] % stripe);
  armci_msg_brdcst(&edge, sizeof(edge), 0);
  double* there = (double*)(void*)(blocks[0] + edge);
  double one[2] = {1, 1};
  double scale[2] = {1, 0};
  if (job_me == 0) memset(there - 2, 0, 4 * sizeof(*there));
  ARMCI_Barrier();
  for (int i = 0; i < times; ++i) {
    if ((i + job_me) % 2)
      ARMCI_Acc(ARMCI_ACC_DCP, scale, one, there - 1, 16, 0);
    else
      ARMCI_Acc(ARMCI_ACC_DBL, scale, one, there - 1 + i / 2 % 2, 8, 0);
  }
  ARMCI_Barrier();
  if (job_me == 0) {
    CHECK_REAL(there[-2] + there[1], 0);
    CHECK_REAL(there[-1] + there[0], 1.5 * times * job_ranks);
  }
  ARMCI_Barrier();
}

static void accumulate_large(void) {
  enum { count = 131072 };
  double* source = (double*)malloc(count * sizeof(double));
  double scale = 0.5;
  double* own = (double*)(void*)blocks[job_me];
  for (int i = 0; i < count; ++i) own[i] = i;
  for (int i = 0; i < count; ++i) source[i] = 2 * (job_me + i % 1000);
  ARMCI_Barrier();
  ARMCI_Acc(ARMCI_ACC_DBL, &scale, source, blocks[job_right], count * 8, job_right);
  ARMCI_Acc(ARMCI_ACC_DBL, &scale, source, blocks[job_left], count * 8, job_left);
  ARMCI_Barrier();
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += own[i] != i + job_left + job_right + 2 * (i % 1000);
  CHECK_INT(wrong, 0);
  free(source);
  ARMCI_Barrier();
}

static void values(void) {
  unsigned char* there = blocks[job_right] + zone * job_me;
  CHECK_INT(ARMCI_PutValueInt(-7 - job_me, there, job_right), 0);
  CHECK_INT(ARMCI_PutValueLong(-(1L << 40) - job_me, there + 8, job_right), 0);
  CHECK_INT(ARMCI_PutValueFloat(0.25F, there + 16, job_right), 0);
  CHECK_INT(ARMCI_PutValueDouble(1e300, there + 24, job_right), 0);
  CHECK_INT(ARMCI_GetValueInt(there, job_right), -7 - job_me);
  CHECK_INT(ARMCI_GetValueLong(there + 8, job_right), -(1L << 40) - job_me);
  CHECK_REAL(ARMCI_GetValueFloat(there + 16, job_right), 0.25);
  CHECK_REAL(ARMCI_GetValueDouble(there + 24, job_right), 1e300);
  PARMCI_PutValueInt(9, there + 1, job_right);  // values need not be aligned
  CHECK_INT(PARMCI_GetValueInt(there + 1, job_right), 9);
}

// Elements need not be aligned where nobody else adds to them.
static void unaligned(void) {
  unsigned char* there = blocks[job_right] + zone * job_me + 3;
  double scale = 2;
  double one = 1.5;
  double sum = 0;
  unsigned char source[sizeof(one) + 1];
  memcpy(source + 1, &one, sizeof(one));
  ARMCI_PutValueDouble(10, there, job_right);
  ARMCI_Acc(ARMCI_ACC_DBL, &scale, &one, there, sizeof(one), job_right);
  ARMCI_Acc(ARMCI_ACC_DBL, &scale, source + 1, there, sizeof(one), job_right);
  ARMCI_Get(there, &sum, sizeof(sum), job_right);
  CHECK_REAL(sum, 16);
}

// The flag follows the data in the block, and arrives after it.
static void flags(void) {
  const int* flag = (const int*)(const void*)(blocks[job_me] + area - 64);
  unsigned char* there = blocks[job_right];
  for (int i = 0; i < size_count; ++i) {
    const size_t size = (size_t)sizes[i];
    memset(mine, i + job_me, size);
    const int value = i * 100 + job_me + 1;
    CHECK_INT(
        ARMCI_Put_flag(mine, there, sizes[i], (int*)(void*)(there + area - 64), value, job_right),
        0);
    job_await(flag, i * 100 + job_left + 1);
    memset(expected, i + job_left, size);
    CHECK_BYTES(blocks[job_me], expected, size);
    armci_msg_barrier();
  }
}

// Operations on one location, one after the other.
static void order(int size) {
  unsigned char* there = blocks[job_right];
  const int count = size / 8;
  long* numbers = (long*)(void*)mine;
  long scale = 2;
  long one = 1000;
  for (int i = 0; i < count; ++i) numbers[i] = i;
  ARMCI_Put(mine, there, size, job_right);
  ARMCI_PutValueLong(-1, there, job_right);  // a small put after a large one
  ARMCI_PutValueLong(-2, there, job_right);
  ARMCI_Acc(ARMCI_ACC_LNG, &scale, &one, there, 8, job_right);
  CHECK_INT(ARMCI_GetValueLong(there, job_right), 1998);
  ARMCI_Put(mine, there, size, job_right);  // then a large one after an accumulate
  ARMCI_Acc(ARMCI_ACC_LNG, &scale, mine, there, size, job_right);
  ARMCI_Acc(ARMCI_ACC_LNG, &scale, &one, there + size - 8, 8, job_right);
  CHECK_INT(ARMCI_GetValueLong(there + size - 8, job_right), 3 * (count - 1) + 2000);
  ARMCI_PutValueLong(5, there + size - 8, job_right);
  long old = 0;
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there + size - 8, 1, job_right);
  CHECK_INT(old, 5);
  ARMCI_Put(&one, there + size - 8, 8, job_right);
  memset(mine, 0, (size_t)size);  // the sources can be reused
  ARMCI_Get(there, got, size, job_right);
  int wrong = 0;
  for (int i = 0; i < count - 1; ++i) wrong += ((long*)(void*)got)[i] != 3 * i;
  CHECK_INT(wrong, 0);
  CHECK_INT(((long*)(void*)got)[count - 1], 1000);
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 1);
  ARMCI_Malloc((void**)blocks, area);
  for (int i = 0; i < size_count; ++i) put_and_get(sizes[i]);
  ARMCI_Barrier();
  with_everyone();
  ARMCI_Barrier();
  contend_int(ARMCI_ACC_INT);
  contend_long(ARMCI_ACC_LNG);
  contend_float(ARMCI_ACC_FLT);
  contend_double(ARMCI_ACC_DBL);
  contend_float_complex(ARMCI_ACC_CPL);
  contend_double_complex(ARMCI_ACC_DCP);
  accumulate_at_an_edge();
  accumulate_large();
  values();
  unaligned();
  ARMCI_Barrier();
  flags();
  for (int size = 64; size <= 1 << 20; size *= 4) order(size);
  ARMCI_Barrier();
  ARMCI_Free(blocks[job_me]);
  return job_end();
}
