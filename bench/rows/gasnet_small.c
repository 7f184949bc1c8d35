// Puts and gets of 8 bytes from rank 0 to cells of rank 1: blocking, and implicit with one wait for
// a batch. The control is a loop of memcpy of a constant 8 bytes through base + offset.
#include "gasnet_job.h"

enum { BATCHES = 200, OPS = 10000, BYTES = 8, CELLS = 512 };

struct cells {
  gex_TM_t team;
  struct window there;
  uint64_t* values;  // the same number, on this rank
};

typedef void batch(const struct cells* cells);

static void put_blocking(const struct cells* c) {
  for (size_t i = 0; i < OPS; ++i)
    gex_RMA_PutBlocking(c->team, 1, c->there.owner + i % CELLS * BYTES, &c->values[i % CELLS],
                        BYTES, 0);
}

static void get_blocking(const struct cells* c) {
  for (size_t i = 0; i < OPS; ++i)
    gex_RMA_GetBlocking(c->team, &c->values[i % CELLS], 1, c->there.owner + i % CELLS * BYTES,
                        BYTES, 0);
}

static void put_implicit(const struct cells* c) {
  for (size_t i = 0; i < OPS; ++i)
    gex_RMA_PutNBI(c->team, 1, c->there.owner + i % CELLS * BYTES, &c->values[i % CELLS], BYTES,
                   GEX_EVENT_DEFER, 0);
  gex_NBI_Wait(GEX_EC_PUT, 0);
}

static void get_implicit(const struct cells* c) {
  for (size_t i = 0; i < OPS; ++i)
    gex_RMA_GetNBI(c->team, &c->values[i % CELLS], 1, c->there.owner + i % CELLS * BYTES, BYTES, 0);
  gex_NBI_Wait(GEX_EC_GET, 0);
}

// The compiler barrier keeps each copy and prevents vectorization.
static void copy_there(const struct cells* c) {
  char* base = c->there.mapped;
  for (size_t i = 0; i < OPS; ++i) {
    memcpy(base + i % CELLS * BYTES, &c->values[i % CELLS], BYTES);
    keep_results();
  }
}

static void copy_here(const struct cells* c) {
  const char* base = c->there.mapped;
  for (size_t i = 0; i < OPS; ++i) {
    memcpy(&c->values[i % CELLS], base + i % CELLS * BYTES, BYTES);
    keep_results();
  }
}

// A round trip of values that were not used before.
static void check(const struct cells* c, batch* put, batch* get) {
  static uint64_t salt;
  salt += CELLS;
  for (size_t i = 0; i < CELLS; ++i) c->values[i] = salt + i;
  put(c);
  memset(c->values, 0, CELLS * BYTES);
  get(c);
  for (size_t i = 0; i < CELLS; ++i)
    require(c->values[i] == salt + i, "not the value that was put");
}

static void measure(const struct cells* c, const char* name, batch* ours, batch* control) {
  ours(c);
  control(c);
  TIME_BOTH(1, BATCHES, OPS, ours(c), control(c), "%s", name);
}

int main(void) {
  const struct job job = start_job(NULL, 0, CELLS * BYTES);
  static uint64_t values[CELLS];
  if (job.rank == 0) {
    const struct cells cells = {job.team, window_of(&job, 1), values};
    measure(&cells, "gasnet_put8", put_blocking, copy_there);
    measure(&cells, "gasnet_get8", get_blocking, copy_here);
    measure(&cells, "gasnet_put8_nbi", put_implicit, copy_there);
    measure(&cells, "gasnet_get8_nbi", get_implicit, copy_here);
    check(&cells, put_blocking, get_blocking);
    check(&cells, put_implicit, get_implicit);
  }
  end_job(&job);
}
