// Vector, indexed and strided transfers compared with a plain loop, with random shapes: up to five
// dimensions, transposed and reflected. The argument is the seed.
#include <gasnet_vis.h>
#include <string.h>

#include "job.h"

enum { area = 256 * 1024, most_dimensions = 5, max_runs = 64, rounds = 300 };

static unsigned char mine[area];
static unsigned char expected[area];

struct Shape {
  size_t element;
  size_t levels;
  size_t counts[most_dimensions];
  ptrdiff_t target[most_dimensions];
  ptrdiff_t source[most_dimensions];
  size_t target_start;
  size_t source_start;
};

// Computes strides for dimensions in the given order, some of them reversed. Returns the bytes
// spanned, and the offset of the first element.
static size_t lay_out(const struct Shape* shape, const size_t* order, ptrdiff_t* strides,
                      size_t* start) {
  size_t span = shape->element + job_random(8);
  *start = 0;
  for (size_t i = 0; i < shape->levels; ++i) {
    const size_t dimension = order[i];
    strides[dimension] = (ptrdiff_t)span;
    span = span * shape->counts[dimension] + job_random(16);
    if (job_random(3) == 0) {
      *start += (size_t)strides[dimension] * (shape->counts[dimension] - 1);
      strides[dimension] = -strides[dimension];
    }
  }
  return span;
}

static struct Shape random_shape(void) {
  for (;;) {
    struct Shape shape;
    size_t order[most_dimensions];
    static const size_t elements[] = {1, 2, 3, 4, 8, 16, 24, 64, 100};
    shape.element = elements[job_random(sizeof(elements) / sizeof(elements[0]))];
    shape.levels = job_random(most_dimensions + 1);
    for (size_t i = 0; i < shape.levels; ++i) {
      shape.counts[i] = 1 + job_random(7);
      order[i] = i;
    }
    const size_t target = lay_out(&shape, order, shape.target, &shape.target_start);
    for (size_t i = shape.levels; i > 1; --i) {  // the source in another order: a transposition
      const size_t other = job_random(i);
      const size_t swap = order[i - 1];
      order[i - 1] = order[other];
      order[other] = swap;
    }
    const size_t source = lay_out(&shape, order, shape.source, &shape.source_start);
    if (target <= area && source <= area) return shape;
  }
}

static void copy_plainly(const struct Shape* shape, unsigned char* target,
                         const unsigned char* source, size_t level) {
  if (level == 0) {
    memcpy(target, source, shape->element);
    return;
  }
  for (size_t i = 0; i < shape->counts[level - 1]; ++i) {
    const ptrdiff_t step = (ptrdiff_t)i;
    copy_plainly(shape, target + step * shape->target[level - 1],
                 source + step * shape->source[level - 1], level - 1);
  }
}

static void fill(unsigned char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes[i] = (unsigned char)job_random(256);
}

// Every rank owns a quarter of the segment of its right neighbour.
static unsigned char* place(gex_Rank_t rank) {
  return job_segment_of(rank);
}

static void strided(gex_Rank_t right) {
  const struct Shape shape = random_shape();
  unsigned char* there = place(right);
  fill(mine, area);
  memset(expected, 0x55, area);
  CHECK(gex_RMA_PutBlocking(job_team, right, there, expected, area, 0) == 0);
  copy_plainly(&shape, expected + shape.target_start, mine + shape.source_start, shape.levels);
  const gex_Event_t event = gex_VIS_StridedPutNB(
      job_team, right, there + shape.target_start, shape.target, mine + shape.source_start,
      shape.source, shape.element, shape.counts, shape.levels, 0);
  gex_Event_Wait(event);
  static unsigned char got[area];
  CHECK(gex_RMA_GetBlocking(job_team, got, right, there, area, 0) == 0);
  CHECK(memcmp(got, expected, area) == 0);
  // The reverse: a get with the roles exchanged.
  static unsigned char back[area];
  memset(back, 0x66, area);
  memset(expected, 0x66, area);
  copy_plainly(&shape, expected + shape.target_start, got + shape.source_start, shape.levels);
  CHECK(gex_VIS_StridedGetBlocking(job_team, back + shape.target_start, shape.target, right,
                                   there + shape.source_start, shape.source, shape.element,
                                   shape.counts, shape.levels, 0) == 0);
  CHECK(memcmp(back, expected, area) == 0);
}

static void lists(gex_Rank_t right) {
  const size_t length = 1 + job_random(200);
  const size_t count = 1 + job_random(max_runs);
  unsigned char* there = place(right);
  gex_Memvec_t target[max_runs];
  gex_Memvec_t whole = {mine, length * count};
  void* pieces[max_runs];
  void* source = mine;
  fill(mine, length * count);
  for (size_t i = 0; i < count; ++i) {
    pieces[i] = there + (count - 1 - i) * (length + 3);
    target[i].gex_addr = pieces[i];
    target[i].gex_len = length;
  }
  CHECK(gex_VIS_IndexedPutBlocking(job_team, right, count, pieces, length, 1, &source,
                                   length * count, 0) == 0);
  static unsigned char got[area];
  gex_Memvec_t into = {got, length * count};
  CHECK(gex_VIS_VectorGetNBI(job_team, 1, &into, right, count, target, 0) == 0);
  gex_NBI_Wait(GEX_EC_GET, 0);
  CHECK(memcmp(got, mine, length * count) == 0);
  fill(mine, length * count);
  gex_Event_Wait(gex_VIS_VectorPutNB(job_team, right, count, target, 1, &whole, 0));
  void* destination = got;
  CHECK(gex_VIS_IndexedGetBlocking(job_team, 1, &destination, length * count, right, count, pieces,
                                   length, 0) == 0);
  CHECK(memcmp(got, mine, length * count) == 0);
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 1 << 20);
  const gex_Rank_t right = (job_me + 1) % job_ranks;
  job_barrier();
  for (int round = 0; round < rounds; ++round) {
    strided(right);
    lists(right);
  }
  job_barrier();
  gasnet_exit(0);
}
