// The framework of the measurements between rank 0 and the last rank, for any library: rounds,
// controls on mapped memory, and output. A program includes it, lists its measurements, and calls
// measure_pair().
//
// Rank 0 prints a line for each round: measurement, bytes, nanoseconds of one operation and of its
// control, or "-" if the two ranks do not map each other's memory.
#ifndef GONDWANA_BENCH_PAIR_H_
#define GONDWANA_BENCH_PAIR_H_

#include "door.h"

enum {
  SMALL_OPS = 1000,
  LARGE_BATCH_BYTES = 8 << 20,
  SMALL_WINDOW_BYTES = 8 << 10,
  WINDOW = 64,                 // operations in flight
  CELL_BYTES = 4 * LINE_PAIR,  // polled words at the start of the shared memory
};

struct pair {
  int other;        // the last rank for rank 0, otherwise rank 0
  char* shared;     // own memory that the other rank accesses
  char* remote;     // the address of the other rank's shared memory in calls of the library
  char* mapped;     // that memory as mapped here; NULL: not mapped
  char* local;      // private memory
  int has_control;  // both ranks map each other's memory
  enum wait_kind how;
  long trips;  // trips of the ping-pong so far
  long control_trips;
};

// Not used, but a fetch-and-add must fetch it: the compiler replaces one without a result by an
// add.
static volatile long old_value;

typedef void batch(struct pair* p, size_t bytes, size_t ops);

// `ours` and `control` run on rank 0. The last rank waits for the next batch in a barrier or, if it
// answers, runs the same functions.
struct measurement {
  const char* group;
  const char* name;
  batch* ours;
  batch* control;
  int answers;
};

struct measurements {
  const struct measurement* list;
  size_t count;
};

// Words of the library and of the control, on separate lines before the data.
static inline long* word_in(char* memory) {
  return (long*)(void*)memory;
}

static inline _Atomic long* control_word_in(char* memory) {
  return (_Atomic long*)(void*)(memory + LINE_PAIR);
}

static inline char* data_in(char* memory) {
  return memory + CELL_BYTES;
}

static inline _Atomic long* data_word(struct pair* p) {
  return (_Atomic long*)(void*)data_in(p->mapped);
}

static inline void put(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) put_now(p->other, data_in(p->remote), p->local, bytes);
}

static inline void get(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) get_now(p->other, p->local, data_in(p->remote), bytes);
}

static inline void copy_there(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    memcpy(data_in(p->mapped), p->local, bytes);
    keep_results();
  }
}

static inline void copy_here(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    memcpy(p->local, data_in(p->mapped), bytes);
    keep_results();
  }
}

static inline void add_here(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) (void)atomic_fetch_add(data_word(p), 1);
}

static inline void fetch_add_here(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) old_value = atomic_fetch_add(data_word(p), 1);
}

static inline void swap_here(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) (void)atomic_exchange(data_word(p), (long)i);
}

static inline void compare_swap_here(struct pair* p, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) {
    long expected = 0;
    (void)atomic_compare_exchange_strong(data_word(p), &expected, 1);
  }
}

static inline void wait_for_word(struct pair* p, long value) {
  wait_for_value(control_word_in(p->shared), value, p->how);
}

// A message there and back is two operations: `send` and `wait` receive the number of the trip.
static inline void go_there_and_back(struct pair* p, size_t bytes, size_t ops, long* trips,
                                     void (*send)(struct pair*, size_t, long),
                                     void (*wait)(struct pair*, long)) {
  for (size_t i = 0; i < ops; i += 2) {
    const long trip = ++*trips;
    if (me != 0) wait(p, trip);
    send(p, bytes, trip);
    if (me == 0) wait(p, trip);
  }
}

static inline void copy_and_store(struct pair* p, size_t bytes, long trip) {
  memcpy(data_in(p->mapped), p->local, bytes);
  atomic_store_explicit(control_word_in(p->mapped), trip, memory_order_release);
}

static inline void add_one(struct pair* p, size_t bytes, long trip) {
  (void)bytes, (void)trip;
  (void)atomic_fetch_add(control_word_in(p->mapped), 1);
}

// The lines that contain the message move between the processors.
static inline void line_ping_pong(struct pair* p, size_t bytes, size_t ops) {
  go_there_and_back(p, bytes, ops, &p->control_trips, copy_and_store, wait_for_word);
}

static inline void atomic_ping_pong(struct pair* p, size_t bytes, size_t ops) {
  go_there_and_back(p, bytes, ops, &p->control_trips, add_one, wait_for_word);
}

static inline int is_end(void) {
  return me == 0 || me == ranks - 1;
}

// Each rank tells the other whether it maps its memory.
static inline void agree_on_control(struct pair* p) {
  long here = p->mapped != NULL;
  long there = 0;
  memcpy(p->local, &here, sizeof here);
  if (is_end()) put(p, sizeof here, 1);
  meet_all();
  memcpy(&there, data_in(p->shared), sizeof there);
  p->has_control = is_end() && here && there;
}

static inline double time_of(const struct measurement* m, batch* run, struct pair* p, size_t bytes,
                             size_t ops) {
  meet_all();
  if (me != 0 && !(m->answers && is_end())) return 0;
  const int64_t start = now_ns();
  run(p, bytes, ops);
  return ns_per_op(now_ns() - start, ops);
}

static inline double time_of_control(const struct measurement* m, struct pair* p, size_t bytes,
                                     size_t ops) {
  if (p->has_control) return time_of(m, m->control, p, bytes, ops);
  meet_all();
  return 0;
}

// Returns an even number, because two operations are a round trip.
static inline size_t ops_of_a_batch(size_t bytes) {
  if (bytes <= SMALL_WINDOW_BYTES) return SMALL_OPS;
  const size_t ops = LARGE_BATCH_BYTES / bytes / 2 * 2;
  return ops > 2 ? ops : 2;
}

static inline void measure(const struct measurement* m, struct pair* p, size_t bytes,
                           size_t rounds) {
  const size_t ops = ops_of_a_batch(bytes);
  (void)time_of(m, m->ours, p, bytes, ops);
  (void)time_of_control(m, p, bytes, ops);
  for (size_t round = 0; round < rounds; ++round) {
    const double ours = time_of(m, m->ours, p, bytes, ops);
    const double control = time_of_control(m, p, bytes, ops);
    if (me == 0) print_round(m->name, bytes, ours, p->has_control ? control : -1);
  }
  fflush(stdout);
}

// Checks that the bytes of the put have arrived.
static inline void check_put(struct pair* p, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) p->local[i] = (char)(i % 127 + 1);
  put(p, bytes, 1);
  memset(p->local, 0, bytes);
  get(p, bytes, 1);
  for (size_t i = 0; i < bytes; ++i) {
    if (p->local[i] != (char)(i % 127 + 1))
      fail("byte %zu of %zu is not the one that was put", i, bytes);
  }
}

// `bytes` is the size of the data. Each rank has started its job with this much space.
static inline struct pair begin_pair(size_t bytes) {
  struct pair p = {.other = me == 0 ? ranks - 1 : 0, .how = usual_wait(ranks)};
  p.shared = block_of(me).owner;
  p.remote = block_of(p.other).owner;
  p.mapped = block_of(p.other).mapped;
  p.local = new_pages(bytes);
  memset(p.shared, 0, CELL_BYTES + bytes);
  meet_all();
  agree_on_control(&p);
  memset(p.local, 1, bytes);
  return p;
}

// Measures sizes from `smallest` in powers of two; if it is 0, only this size.
static inline void measure_group(struct pair* p, const struct measurements* all, const char* group,
                                 size_t rounds, size_t smallest, size_t largest) {
  for (size_t i = 0; i < all->count; ++i) {
    const struct measurement* m = &all->list[i];
    if (strcmp(m->group, group) != 0) continue;
    for (size_t bytes = smallest; bytes <= largest; bytes = bytes > 0 ? 2 * bytes : largest + 1)
      measure(m, p, bytes, rounds);
  }
}

static inline void end_pair(struct pair* p, size_t largest) {
  meet_all();
  if (me == 0) check_put(p, largest);
  meet_all();
}

// The arguments: transfers GROUP ROUNDS SMALLEST LARGEST. Atomic operations have one size.
struct request {
  const char* group;
  size_t rounds;
  size_t smallest;
  size_t largest;
};

static inline struct request request_of(int argc, char** argv) {
  const char* group = argc > 1 ? argv[1] : "latency";
  const int is_atomic = strcmp(group, "atomics") == 0;
  return (struct request){group, argument(argc, argv, 2, 20),
                          is_atomic ? sizeof(long) : argument(argc, argv, 3, 1),
                          is_atomic ? sizeof(long) : argument(argc, argv, 4, 1 << 20)};
}

// At least a word, which begin_pair() needs.
static inline size_t data_bytes(size_t largest) {
  return largest > sizeof(long) ? largest : sizeof(long);
}

#endif
