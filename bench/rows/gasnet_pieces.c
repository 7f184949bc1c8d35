// Puts of pieces of 8 bytes from the segment of rank 0 into that of rank 1, BYTES in all. The gap
// between two pieces is constant, so that DENSITY percent of the memory from the first to the last
// piece move. The puts use a list of addresses (indexed), or an array of 1, 3, 8 or 32 dimensions
// (strided), of which only as many are used as the number of pieces needs.
//
// Figures gasnet_indexed_BYTES_DENSITY and gasnet_strided_DIMENSIONS_BYTES_DENSITY. CONTROL is
//   lines   memcpy of all memory from the first to the last piece: of the cache lines touched
//   loops   nested loops, one for each dimension, with one call of memcpy for each piece
// Usage: gasnet_pieces CONTROL DENSITY [BYTES]...
#include "gasnet_job.h"

#include <gasnet_vis.h>

enum { PIECE = 8, MOST_DIMENSIONS = 32, BATCHES = 30, LARGEST = 2 << 20, LEAST_DENSITY = 25 };
enum { INDEXED = 0, BATCH_BYTES = 1 << 20, BEFORE = 0xa5 };

// A transfer as both sides see it.
struct pattern {
  size_t dimensions;  // INDEXED: lists of addresses
  size_t bytes;       // total of all pieces
  size_t extent;      // from the first to the last piece, including gaps
  size_t count[MOST_DIMENSIONS];
  ptrdiff_t strides[MOST_DIMENSIONS];
  void** from;  // the lists
  void** to;
  char* source;
  struct window there;
  gex_TM_t team;
};

// Distributes the doublings of the number of pieces over the dimensions; the other dimensions have
// length 1.
static struct pattern new_pattern(const struct job* job, size_t dimensions, size_t bytes,
                                  size_t density) {
  struct pattern p = {.dimensions = dimensions,
                      .bytes = bytes,
                      .extent = bytes * 100 / density,
                      .source = window_of(job, 0).mapped,
                      .there = window_of(job, 1),
                      .team = job->team};
  const size_t pieces = bytes / PIECE;
  const size_t step = p.extent / pieces;
  const unsigned doublings = (unsigned)__builtin_ctzl(pieces);
  ptrdiff_t stride = (ptrdiff_t)step;
  for (size_t i = 0; i < dimensions; ++i) {
    p.count[i] = (size_t)1 << (doublings / dimensions + (i < doublings % dimensions));
    p.strides[i] = stride;
    stride *= (ptrdiff_t)p.count[i];
  }
  p.from = (void**)calloc(2 * pieces, sizeof *p.from);
  require(p.from != NULL, "no memory for lists of addresses");
  p.to = p.from + pieces;
  for (size_t i = 0; i < pieces; ++i) {
    p.from[i] = p.source + i * step;
    p.to[i] = p.there.owner + i * step;
  }
  return p;
}

static void put(const struct pattern* p) {
  const size_t pieces = p->bytes / PIECE;
  if (p->dimensions == INDEXED)
    gex_VIS_IndexedPutNBI(p->team, 1, pieces, p->to, PIECE, pieces, p->from, PIECE, 0);
  else
    gex_VIS_StridedPutNBI(p->team, 1, p->there.owner, p->strides, p->source, p->strides, PIECE,
                          p->count, p->dimensions, 0);
}

static void copy_lines(const struct pattern* p) {
  memcpy(p->there.mapped, p->source, p->extent);
}

// The compiler must not know the size: otherwise it would inline memcpy as a load and a store.
static volatile size_t piece_bytes = PIECE;

static void copy_dimension(const struct pattern* p, size_t dimension, size_t offset, size_t bytes) {
  if (dimension == 0) {
    memcpy(p->there.mapped + offset, p->source + offset, bytes);
    return;
  }
  for (size_t i = 0; i < p->count[dimension - 1]; ++i)
    copy_dimension(p, dimension - 1, offset + i * (size_t)p->strides[dimension - 1], bytes);
}

static void copy_pieces(const struct pattern* p) {
  const size_t bytes = piece_bytes;
  if (p->dimensions != INDEXED) {
    copy_dimension(p, p->dimensions, 0, bytes);
    return;
  }
  const ptrdiff_t here = p->there.mapped - p->there.owner;
  for (size_t i = 0; i < p->bytes / PIECE; ++i) memcpy((char*)p->to[i] + here, p->from[i], bytes);
}

typedef void move(const struct pattern* pattern);

static double time_batch(move* run, const struct pattern* p, size_t times) {
  const int64_t start = now_ns();
  for (size_t i = 0; i < times; ++i) {
    run(p);
    keep_results();
  }
  gex_NBI_Wait(GEX_EC_PUT, 0);
  return ns_per_op(now_ns() - start, times);
}

// Checks that every piece has arrived, and that no gap was written.
static void check(const struct pattern* p) {
  const size_t step = p->extent / (p->bytes / PIECE);
  memset(p->there.mapped, BEFORE, p->extent);
  put(p);
  gex_NBI_Wait(GEX_EC_PUT, 0);
  for (size_t i = 0; i < p->extent; ++i) {
    const int expected = i % step < PIECE ? p->source[i] : (char)BEFORE;
    require(p->there.mapped[i] == expected, "a byte that is not as it should be after a put");
  }
}

static void report_pattern(const struct pattern* p, size_t density, double* ours_ns,
                           double* control_ns) {
  char way[32] = "indexed";
  if (p->dimensions != INDEXED) snprintf(way, sizeof way, "strided_%zu", p->dimensions);
  report_both(1, ours_ns, control_ns, BATCHES, "gasnet_%s_%zu_%zu", way, p->bytes, density);
}

// Batches of all patterns alternate, because they are compared with each other.
static void measure(const struct job* job, move* control, size_t density, size_t bytes) {
  static const size_t dimensions[] = {INDEXED, 1, 3, 8, MOST_DIMENSIONS};
  enum { PATTERNS = sizeof dimensions / sizeof *dimensions };
  struct pattern patterns[PATTERNS];
  double* ours_ns[PATTERNS];
  double* control_ns[PATTERNS];
  for (int k = 0; k < PATTERNS; ++k) {
    patterns[k] = new_pattern(job, dimensions[k], bytes, density);
    check(&patterns[k]);
    ours_ns[k] = new_samples(BATCHES);
    control_ns[k] = new_samples(BATCHES);
  }
  const size_t extent = patterns[0].extent;
  const size_t times = extent < BATCH_BYTES ? BATCH_BYTES / extent : 1;
  for (int i = 0; i < BATCHES; ++i) {
    for (int k = 0; k < PATTERNS; ++k) {
      ours_ns[k][i] = time_batch(put, &patterns[k], times);
      control_ns[k][i] = time_batch(control, &patterns[k], times);
    }
  }
  for (int k = 0; k < PATTERNS; ++k) {
    report_pattern(&patterns[k], density, ours_ns[k], control_ns[k]);
    free((void*)patterns[k].from);
  }
}

int main(int argc, char** argv) {
  const size_t density = argument(argc, argv, 2, LEAST_DENSITY);
  move* control = argc > 1 && strcmp(argv[1], "loops") == 0 ? copy_pieces : copy_lines;
  const struct job job = start_job(NULL, 0, LARGEST * 100 / LEAST_DENSITY);
  require(density >= LEAST_DENSITY && density <= 100 && 100 % density == 0,
          "DENSITY is 25, 50 or 100");
  if (job.rank == 0) {
    char* source = window_of(&job, 0).mapped;
    for (size_t i = 0; i < LARGEST * 100 / LEAST_DENSITY; ++i) source[i] = (char)(i % 251);
    for (int i = 3; i < argc || i == 3; ++i) {
      const size_t bytes = argument(argc, argv, i, 128 << 10);
      require(bytes >= PIECE && bytes <= LARGEST && (bytes & (bytes - 1)) == 0,
              "BYTES is a power of two from 8 to 2 MiB");
      measure(&job, control, density, bytes);
    }
  }
  end_job(&job);
}
