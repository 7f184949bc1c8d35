// p, g, put and get of 8 bytes and fetch_add from rank 0 to rank 1, each compared with a function
// called through the PLT that checks a range and does the same; and the cost of reading the flag of
// a sleeper after each store. Usage: small
#include "pairs.h"

#include "../control/plt.h"

enum { BATCHES = 400, OPS = 1000, CELL_BYTES = 4096, FLAG_AT = 2048 };

static void ours_p(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) shmem_long_p(c->symmetric, (long)i, c->peer);
  shmem_quiet();
}

static void control_p(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) plt_store(c->mapped, (long)i);
}

static void ours_g(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) (void)shmem_long_g(c->symmetric, c->peer);
}

static void control_g(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) (void)plt_load(c->mapped);
}

static void ours_put8(const struct cells* c, size_t ops) {
  long value = 7;
  for (size_t i = 0; i < ops; ++i) shmem_put64(c->symmetric, &value, 1, c->peer);
  shmem_quiet();
}

static void control_put8(const struct cells* c, size_t ops) {
  long value = 7;
  for (size_t i = 0; i < ops; ++i) plt_put8(c->mapped, &value);
}

static void ours_get8(const struct cells* c, size_t ops) {
  long value = 0;
  for (size_t i = 0; i < ops; ++i) shmem_get64(&value, c->symmetric, 1, c->peer);
}

static void control_get8(const struct cells* c, size_t ops) {
  long value = 0;
  for (size_t i = 0; i < ops; ++i) plt_get8(&value, c->mapped);
}

static void ours_fetch_add(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) (void)shmem_long_atomic_fetch_add(c->symmetric, 1, c->peer);
}

static void control_fetch_add(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) (void)plt_fetch_add(c->mapped, 1);
}

static void store_and_look(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) plt_store_and_look(c->mapped, (long)i);
}

static const struct pair pairs[] = {
    {"p", ours_p, control_p},
    {"g", ours_g, control_g},
    {"put8", ours_put8, control_put8},
    {"get8", ours_get8, control_get8},
    {"fetch_add", ours_fetch_add, control_fetch_add},
    {"flag_check", store_and_look, control_p},
};

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  pin_if_asked(me);
  long* symmetric = shmem_malloc(CELL_BYTES);
  memset(symmetric, 0, CELL_BYTES);
  shmem_barrier_all();
  if (me == 0) {
    const int peer = shmem_n_pes() - 1;
    char* mapped = mapped_or_private(symmetric, CELL_BYTES, peer);
    const struct cells cells = {symmetric, (_Atomic long*)(void*)mapped, peer};
    plt_window(mapped, CELL_BYTES);
    plt_flag((const _Atomic int*)(void*)(mapped + FLAG_AT));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
      run_pair(&pairs[i], &cells, BATCHES, OPS, 1);
  }
  shmem_barrier_all();
  shmem_free(symmetric);
  shmem_finalize();
  return 0;
}
