// A C program as users write it; compiled by headers_test.py, never run.
#include <shmem.h>
#include <shmemx.h>

static shmem_team_t team = SHMEM_TEAM_WORLD;
static shmem_team_t no_team = SHMEM_TEAM_INVALID;
static long counters[4];
static uint64_t signals[2];
static long lock;
static shmem_ctx_t no_context = SHMEM_CTX_INVALID;
static long work_area[SHMEM_SYNC_SIZE] = {_SHMEM_SYNC_VALUE};
static int comparison = SHMEM_CMP_GE;

#if SHMEM_MAJOR_VERSION != 1 || SHMEM_MINOR_VERSION < 6
#error "the version macros must be usable in #if"
#endif

static void plain_names(int peer) {
  long value = shmem_long_g(counters, peer);
  shmem_long_p(counters, value + 1, peer);
  shmem_putmem(counters, &value, sizeof value, peer);
  shmem_iput64(counters, &value, 1, 1, 1, peer);
  shmem_long_atomic_add(counters, 1, peer);
  shmem_long_wait_until(counters, comparison, 1);
  shmem_long_sum_reduce(team, counters, counters, 4);
  shmem_signal_add(signals, 1, peer);
  shmem_sync(0, 0, 1, work_area);
  shmem_wait_until(counters, comparison, 1);
  shmem_set_lock(&lock);
  shmem_clear_lock(&lock);
}

static int contexts(int peer) {
  const shmem_team_config_t config = {.num_contexts = 1};
  const shmem_ctx_session_config_t session = {.total_ops = 2};
  shmem_team_t half;
  shmem_ctx_t context = no_context;
  shmem_team_split_strided(team, 0, 2, 1, &config, SHMEM_TEAM_NUM_CONTEXTS, &half);
  if (shmem_team_create_ctx(half, SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, &context) != 0) return 1;
  shmem_ctx_session_start(context, SHMEM_CTX_SESSION_BATCH, &session, SHMEM_CTX_SESSION_TOTAL_OPS);
  shmem_ctx_long_p(context, counters, 1, peer);
  shmem_ctx_putmem_signal(context, counters, signals, 8, signals, 1, SHMEM_SIGNAL_ADD, peer);
  shmem_ctx_session_stop(context);
  shmem_ctx_pe_quiet(context, &peer, 1);
  shmem_ctx_destroy(context);
  return 0;
}

#if __STDC_VERSION__ >= 201112L
static void generic_names(int peer) {
  const long* read_only = counters;
  const shmem_ctx_t context = SHMEM_CTX_DEFAULT;
  long value = shmem_g(read_only, peer) + shmem_atomic_fetch(read_only, peer);
  shmem_p(&counters[1], value, peer);
  shmem_p(counters, shmem_g(context, counters, peer), peer);
  shmem_put(counters, ((const long[]){1, 2}), 2, peer);
  shmem_get(&value, read_only, 1, peer);
  shmem_wait_until(counters, SHMEM_CMP_NE, 0);
  shmem_broadcast(team, counters, (long[]){2, 3}, 2, 0);
  shmem_sync(SHMEM_TEAM_SHARED);

  shmem_p(context, counters, 1, peer);
  shmem_put(SHMEM_CTX_DEFAULT, counters, read_only, 2, peer);
  value += shmem_g(context, read_only, peer) + shmem_atomic_fetch_inc(context, counters, peer);
  shmem_atomic_inc(context, counters, peer);
  shmem_atomic_fetch_nbi(context, &value, read_only, peer);
  shmem_put_signal(context, counters, &value, 1, signals, 1, SHMEM_SIGNAL_SET, peer);
  shmem_signal_set(context, signals, 1, peer);
  shmem_signal_set(signals, 1, peer);
}
#else
#ifdef shmem_put
#error "generics need C11"
#endif
#define generic_names plain_names
#endif

int main(void) {
  shmem_init();
  char name[SHMEM_MAX_NAME_LEN] = SHMEM_VENDOR_STRING;
  shmem_info_get_name(name);
  int peer = (shmem_my_pe() + 1) % shmem_n_pes();
  plain_names(peer);
  generic_names(peer);
  if (contexts(peer) != 0) shmem_global_exit(2);
  shmem_pcontrol(1, "begin");
  if (team == no_team) shmem_global_exit(1);
  shmem_finalize();
  return 0;
}
