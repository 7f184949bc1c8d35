// The measurements of `gondwana bench seeds`, which come from papers on PGAS runtimes and are not
// covered by other subjects. All ranks take part. In the same rounds the control does the same to
// the mapped memory of the ranks, with instructions alone. It prints a line for each round:
// measurement, 0, nanoseconds of one operation and of its control, or "-" if a rank is not mapped.
// Only names of OpenSHMEM 1.4 are used, so that other libraries can compile it.
//
// Usage: seeds seeds ROUNDS
#include "whole_job.h"

enum { OPS = 1000, TABLE_WORDS = 1 << 16, SQUARE_ROWS = 256, FLOOD_BYTES = 8 << 10, FLOOD = 128 };

static struct shared table;   // TABLE_WORDS words on each rank
static struct shared square;  // a square matrix, one block of rows on each rank
static struct shared result;  // the same, transposed
static struct shared gate;    // a central barrier and a ticket lock, on rank 0
static long rows;             // number of rows on each rank
static long side;             // number of rows of the square
static unsigned long* fetched;
static char* source;
static long lock_word;

struct controls {
  struct central_barrier barrier;
  struct ticket_lock lock;
};

static struct controls* controls(void) {
  return gate.of[0];
}

static uint64_t first_state(void) {
  return UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(me + 1);
}

static _Atomic unsigned long* mapped_word(uint64_t random) {
  unsigned long* words = table.of[(random >> 40) % (uint64_t)ranks];
  return (_Atomic unsigned long*)&words[random % TABLE_WORDS];
}

static unsigned long* own_word(uint64_t random) {
  return &((unsigned long*)table.own)[random % TABLE_WORDS];
}

static int owner(uint64_t random) {
  return (int)((random >> 40) % (uint64_t)ranks);
}

static void hot_spot(void) {
  for (size_t i = 0; i < OPS; ++i) (void)shmem_ulong_atomic_fetch_add(table.own, 1, 0);
}

static void plain_hot_spot(void) {
  for (size_t i = 0; i < OPS; ++i) (void)atomic_fetch_add((_Atomic unsigned long*)table.of[0], 1);
}

static void random_access(void) {
  uint64_t state = first_state();
  for (size_t i = 0; i < OPS; ++i) {
    const uint64_t random = next_number(&state);
    shmem_ulong_atomic_xor(own_word(random), random, owner(random));
  }
  shmem_quiet();
}

static void plain_random_access(void) {
  uint64_t state = first_state();
  for (size_t i = 0; i < OPS; ++i) {
    const uint64_t random = next_number(&state);
    (void)atomic_fetch_xor(mapped_word(random), random);
  }
}

static void index_gather(void) {
  uint64_t state = first_state();
  for (size_t i = 0; i < OPS; ++i) {
    const uint64_t random = next_number(&state);
    shmem_ulong_get_nbi(&fetched[i], own_word(random), 1, owner(random));
  }
  shmem_quiet();
}

static void plain_index_gather(void) {
  uint64_t state = first_state();
  for (size_t i = 0; i < OPS; ++i)
    fetched[i] = atomic_load_explicit(mapped_word(next_number(&state)), memory_order_relaxed);
}

// Row r of the result is a column of the square, with pieces from every rank.
static void transpose_by_gets(void) {
  for (int rank = 0; rank < ranks; ++rank) {
    for (long row = 0; row < rows; ++row)
      shmem_long_iget((long*)result.own + row * side + rank * rows,
                      (long*)square.own + me * rows + row, 1, side, (size_t)rows, rank);
  }
}

static void plain_transpose_by_gets(void) {
  for (int rank = 0; rank < ranks; ++rank) {
    const long* there = square.of[rank];
    for (long row = 0; row < rows; ++row) {
      long* to = (long*)result.own + row * side + rank * rows;
      for (long i = 0; i < rows; ++i) to[i] = there[i * side + me * rows + row];
    }
  }
}

static void transpose_by_puts(void) {
  for (int rank = 0; rank < ranks; ++rank) {
    for (long row = 0; row < rows; ++row)
      shmem_long_iput((long*)result.own + me * rows + row,
                      (long*)square.own + row * side + rank * rows, side, 1, (size_t)rows, rank);
  }
  shmem_quiet();
}

static void plain_transpose_by_puts(void) {
  for (int rank = 0; rank < ranks; ++rank) {
    long* there = result.of[rank];
    for (long row = 0; row < rows; ++row) {
      const long* from = (long*)square.own + row * side + rank * rows;
      for (long i = 0; i < rows; ++i) there[i * side + me * rows + row] = from[i];
    }
  }
}

// The source may be reused as soon as each put returns. Only from rank 0 to the last rank.
static void put_flood(void) {
  for (size_t i = 0; me == 0 && i < FLOOD; ++i) {
    source[0] = (char)i;
    shmem_putmem(table.own, source, FLOOD_BYTES, ranks - 1);
  }
  shmem_quiet();
}

static void plain_put_flood(void) {
  for (size_t i = 0; me == 0 && i < FLOOD; ++i) {
    source[0] = (char)i;
    memcpy(table.of[ranks - 1], source, FLOOD_BYTES);
    keep_results();
  }
}

static void lock(void) {
  for (size_t i = 0; i < FLOOD; ++i) {
    shmem_set_lock(&lock_word);
    shmem_ulong_p(table.own, shmem_ulong_g(table.own, 0) + 1, 0);
    shmem_clear_lock(&lock_word);
  }
}

static void plain_lock(void) {
  struct ticket_lock* lock_of_all = &controls()->lock;
  unsigned long* word = table.of[0];
  for (size_t i = 0; i < FLOOD; ++i) {
    take_lock(lock_of_all, how);
    *(volatile unsigned long*)word = *word + 1;
    give_lock(lock_of_all);
  }
}

static void clear_table(void) {
  memset(table.own, 0, TABLE_WORDS * sizeof(long));
  for (long i = 0; i < rows * side; ++i) ((long*)square.own)[i] = me * rows * side + i;
  memset(result.own, 0, (size_t)(rows * side) * sizeof(long));
}

static int all_were_added(size_t each) {
  return me != 0 || *(unsigned long*)table.own == each * (size_t)ranks;
}

static int is_added(void) {
  return all_were_added(OPS);
}

static int is_locked(void) {
  return all_were_added(FLOOD);
}

// Exclusive or is its own inverse: repeats the same updates.
static int is_updated(void) {
  random_access();
  shmem_barrier_all();
  for (size_t i = 0; i < TABLE_WORDS; ++i) {
    if (((unsigned long*)table.own)[i] != 0) return 0;
  }
  return 1;
}

static int is_gathered(void) {
  for (size_t i = 0; i < OPS; ++i) {
    if (fetched[i] != 0) return 0;
  }
  return 1;
}

static int is_transposed(void) {
  for (long row = 0; row < rows; ++row) {
    for (long i = 0; i < side; ++i) {
      if (((long*)result.own)[row * side + i] != i * side + me * rows + row) return 0;
    }
  }
  return 1;
}

static int is_put(void) {
  const char* last = table.own;
  return me != ranks - 1 || (last[0] == (char)(FLOOD - 1) && last[FLOOD_BYTES - 1] == 1);
}

typedef void operation(void);

static const struct measurement {
  const char* name;
  operation* ours;
  operation* control;
  int (*is_right)(void);
  size_t ops;
} measurements[] = {
    {"hot_spot", hot_spot, plain_hot_spot, is_added, OPS},
    {"random_access", random_access, plain_random_access, is_updated, OPS},
    {"index_gather", index_gather, plain_index_gather, is_gathered, OPS},
    {"transpose_get", transpose_by_gets, plain_transpose_by_gets, is_transposed, 1},
    {"transpose_put", transpose_by_puts, plain_transpose_by_puts, is_transposed, 1},
    {"put_flood_8K", put_flood, plain_put_flood, is_put, FLOOD},
    {"lock", lock, plain_lock, is_locked, FLOOD},
};

static void check(const struct measurement* m, operation* run) {
  clear_table();
  for (size_t i = 0; i < OPS; ++i) fetched[i] = ~0UL;
  shmem_barrier_all();
  run();
  shmem_barrier_all();
  if (!m->is_right()) fail("a wrong result of %s", m->name);
  shmem_barrier_all();
}

// Measures until all ranks have finished: with the library's barrier, or a plain one for the
// control.
static double time_of_ours(const struct measurement* m) {
  shmem_barrier_all();
  const int64_t start = now_ns();
  m->ours();
  shmem_barrier_all();
  return ns_per_op(now_ns() - start, m->ops);
}

static double time_of_control(const struct measurement* m) {
  struct central_barrier* barrier = &controls()->barrier;
  central_wait(barrier, (uint32_t)ranks, how);
  const int64_t start = now_ns();
  m->control();
  central_wait(barrier, (uint32_t)ranks, how);
  return ns_per_op(now_ns() - start, m->ops);
}

static void measure(const struct measurement* m, size_t rounds) {
  const int is_mapped = table.of != NULL;
  if (is_mapped) check(m, m->control);
  check(m, m->ours);
  for (size_t round = 0; round < rounds; ++round) {
    const double ours = time_of_ours(m);
    const double control = is_mapped ? time_of_control(m) : -1;
    shmem_barrier_all();
    if (me == 0) print_round(m->name, 0, ours, control);
  }
}

int main(int argc, char** argv) {
  const size_t rounds = argument(argc, argv, 2, 20);
  begin_job();
  rows = SQUARE_ROWS / ranks > 0 ? SQUARE_ROWS / ranks : 1;
  side = rows * ranks;
  table = allocate_shared(TABLE_WORDS * sizeof(long));
  square = allocate_shared((size_t)(rows * side) * sizeof(long));
  result = allocate_shared((size_t)(rows * side) * sizeof(long));
  gate = allocate_shared(sizeof(struct controls));
  fetched = allocate_private(OPS * sizeof *fetched);
  source = allocate_private(FLOOD_BYTES);
  memset(source, 1, FLOOD_BYTES);
  for (size_t i = 0; i < sizeof measurements / sizeof *measurements; ++i)
    measure(&measurements[i], rounds);
  end_shmem();
}
