// Sections of arrays, compared with a plain loop, with random shapes of 0 to 8 levels. The argument
// is the seed.
#include "job.h"

enum { area = 128 << 10, most = ARMCI_MAX_STRIDE_LEVEL, rounds = 60, flag_at = area };

static unsigned char* blocks[job_most];
static unsigned char mine[area];
static unsigned char got[area];
static unsigned char expected[area];

struct Shape {
  int levels;
  int count[most + 1];
  int source[most];
  int target[most];
};

// Computes strides for dimensions in the given order. Returns the bytes that they span.
static long lay_out(const struct Shape* shape, const int* order, int unit, int* strides) {
  long span = shape->count[0] + unit * (long)job_random(3);
  for (int i = 0; i < shape->levels; ++i) {
    if (span > area) return span;
    strides[order[i]] = (int)span;
    span = span * shape->count[order[i] + 1] + unit * (long)job_random(3);
  }
  return span;
}

// Runs and strides are multiples of the unit. The source is a transposition of the target.
static struct Shape random_shape(int levels, int unit) {
  for (;;) {
    struct Shape shape = {.levels = levels,
                          .count = {unit * (1 + job_random(levels > 4 ? 4 : 99))}};
    int order[most];
    for (int i = 0; i < levels; ++i) {
      shape.count[i + 1] = 1 + job_random(levels > 4 ? 4 : 9);
      order[i] = i;
    }
    const long target = lay_out(&shape, order, unit, shape.target);
    for (int i = levels; i > 1; --i) {
      const int other = job_random(i);
      const int swap = order[i - 1];
      order[i - 1] = order[other];
      order[other] = swap;
    }
    const long source = lay_out(&shape, order, unit, shape.source);
    if (target <= area && source <= area) return shape;
  }
}

enum Kind { copies, adds };

static void do_plainly(const struct Shape* shape, enum Kind kind, unsigned char* target,
                       const unsigned char* source, int level) {
  if (level > 0) {
    for (int i = 0; i < shape->count[level]; ++i)
      do_plainly(shape, kind, target + i * (long)shape->target[level - 1],
                 source + i * (long)shape->source[level - 1], level - 1);
  } else if (kind == copies) {
    memcpy(target, source, (size_t)shape->count[0]);
  } else {
    for (int i = 0; i < shape->count[0] / (int)sizeof(int); ++i)
      ((int*)(void*)target)[i] += 3 * ((const int*)(const void*)source)[i];
  }
}

// Small numbers, so that sums have no overflow.
static void fill_with_numbers(unsigned char* memory) {
  for (int i = 0; i < area / (int)sizeof(int); ++i) ((int*)(void*)memory)[i] = job_random(1000);
}

static void compare_with_right(void) {
  ARMCI_Get(blocks[job_right], got, area, job_right);
  CHECK_BYTES(got, expected, area);
}

static void puts_and_gets(int levels) {
  struct Shape shape = random_shape(levels, 1 + 7 * job_random(2));
  unsigned char* there = blocks[job_right];
  job_fill(mine, area);
  memset(expected, 0x55, area);
  ARMCI_Put(expected, there, area, job_right);
  do_plainly(&shape, copies, expected, mine, levels);
  CHECK_INT((levels % 2 ? ARMCI_PutS : PARMCI_PutS)(mine, shape.source, there, shape.target,
                                                    shape.count, levels, job_right),
            0);
  compare_with_right();
  memset(mine, 0x66, area);
  memset(expected, 0x66, area);
  do_plainly(&shape, copies, expected, got, levels);
  CHECK_INT((levels % 2 ? ARMCI_GetS : PARMCI_GetS)(there, shape.source, mine, shape.target,
                                                    shape.count, levels, job_right),
            0);
  CHECK_BYTES(mine, expected, area);
}

static void accumulates(int levels) {
  struct Shape shape = random_shape(levels, sizeof(int));
  int scale = 3;
  fill_with_numbers(mine);
  fill_with_numbers(expected);
  ARMCI_Put(expected, blocks[job_right], area, job_right);
  do_plainly(&shape, adds, expected, mine, levels);
  CHECK_INT(ARMCI_AccS(ARMCI_ACC_INT, &scale, mine, shape.source, blocks[job_right], shape.target,
                       shape.count, levels, job_right),
            0);
  compare_with_right();
}

// Copies to a buffer without gaps and back, in the caller's memory.
static void buffers(int levels) {
  struct Shape shape = random_shape(levels, 1);
  struct Shape packed = shape;
  int bytes = shape.count[0];
  for (int i = 0; i < levels; ++i) {
    packed.target[i] = bytes;
    bytes *= shape.count[i + 1];
  }
  job_fill(mine, area);
  memset(got, 0x77, area);
  memset(expected, 0x77, area);
  do_plainly(&packed, copies, expected, mine, levels);
  armci_write_strided(mine, levels, shape.source, shape.count, (char*)got);
  CHECK_BYTES(got, expected, area);
  for (int i = 0; i < levels; ++i) {
    packed.source[i] = packed.target[i];
    packed.target[i] = shape.target[i];
  }
  memset(mine, 0x88, area);
  memset(expected, 0x88, area);
  do_plainly(&packed, copies, expected, got, levels);
  armci_read_strided(mine, levels, shape.target, shape.count, (char*)got);
  CHECK_BYTES(mine, expected, area);
}

// All processes know the shape and the data of their left neighbour: both follow from the round.
static void flags(int round) {
  struct Shape shape = {2, {8 + round * 100, 5, 3}, {2000, 12000}, {2100, 12001}};
  unsigned char* there = blocks[job_right];
  int* flag = (int*)(void*)(there + flag_at);
  const int value = round * 10 + job_me + 1;
  memset(mine, value, area);
  CHECK_INT((round % 2 ? ARMCI_PutS_flag : ARMCI_PutS_flag_dir)(
                mine, shape.source, there, shape.target, shape.count, 2, flag, value, job_right),
            0);
  job_await((int*)(void*)(blocks[job_me] + flag_at), round * 10 + job_left + 1);
  memset(mine, round * 10 + job_left + 1, area);
  memcpy(expected, blocks[job_me], area);
  do_plainly(&shape, copies, expected, mine, 2);
  CHECK_BYTES(blocks[job_me], expected, area);
  armci_msg_barrier();
}

// All add 1 to all elements of a section of each process; other elements are unchanged.
static void contended(void) {
  enum { side = 12, adds_of_each = 6 };
  int count[] = {5 * (int)sizeof(double), 4, 3};
  int source_strides[] = {5 * (int)sizeof(double), 20 * (int)sizeof(double)};
  int target_strides[] = {side * (int)sizeof(double), side * side * (int)sizeof(double)};
  double ones[60];
  double scale = 0.5;
  double* own = (double*)(void*)blocks[job_me];
  for (int i = 0; i < 60; ++i) ones[i] = 2;
  for (int i = 0; i < side * side * side; ++i) own[i] = i;
  ARMCI_Barrier();
  for (int i = 0; i < adds_of_each * job_ranks; ++i)
    ARMCI_AccS(ARMCI_ACC_DBL, &scale, ones, source_strides, blocks[i % job_ranks], target_strides,
               count, 2, i % job_ranks);
  ARMCI_Barrier();
  for (int i = 0; i < side * side * side; ++i) {
    const int is_in = i % side < 5 && i / side % side < 4 && i / side / side < 3;
    CHECK_REAL(own[i], i + (is_in ? adds_of_each * job_ranks : 0));
  }
}

static void nothing(void) {
  int strides[] = {10};
  int counts[] = {4, 0};
  CHECK_INT(ARMCI_PutS(mine, strides, blocks[job_right], strides, counts, 1, job_right), 0);
  CHECK_INT(ARMCI_GetS(blocks[job_right], strides, mine, strides, counts, 1, job_right), 0);
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 1);
  ARMCI_Malloc((void**)blocks, area + 64);
  for (int round = 0; round < rounds; ++round) {
    puts_and_gets(round % (most + 1));
    accumulates(round % (most + 1));
    buffers(round % (most + 1));
  }
  ARMCI_Barrier();
  for (int round = 0; round < 10; ++round) flags(round);
  contended();
  ARMCI_Barrier();
  nothing();
  ARMCI_Barrier();
  ARMCI_Free(blocks[job_me]);
  return job_end();
}
