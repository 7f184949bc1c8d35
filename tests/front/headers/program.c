// A C program as users write it; compiled by headers_test.py, never run.
#include <shmem.h>
#include <shmemx.h>

static shmem_team_t team = SHMEM_TEAM_WORLD;
static shmem_team_t no_team = SHMEM_TEAM_INVALID;
static long counters[4];
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
}

#if __STDC_VERSION__ >= 201112L
static void generic_names(int peer) {
  const long* read_only = counters;
  long value = shmem_g(read_only, peer) + shmem_atomic_fetch(read_only, peer);
  shmem_p(&counters[1], value, peer);
  shmem_put(counters, (const long[]){1, 2}, 2, peer);
  shmem_get(&value, read_only, 1, peer);
  shmem_wait_until(counters, SHMEM_CMP_NE, 0);
  shmem_broadcast(team, counters, counters + 2, 2, 0);
  shmem_sync(SHMEM_TEAM_SHARED);
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
  shmem_pcontrol(1, "begin");
  if (team == no_team) shmem_global_exit(1);
  shmem_finalize();
  return 0;
}
