/* Makes known numbers of calls, in the way that its argument names. */
#include <shmemx.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long cells[64];
static char blocks[8000];
static long result[4];
static long source[4];

static int next_rank(void) {
  return (shmem_my_pe() + 1) % shmem_n_pes();
}

static void put_longs(int count) {
  const int next = next_rank();
  for (int i = 0; i < count; ++i) shmem_long_p(&cells[i % 64], i, next);
}

/* Every kind of call with bytes, and as many calls of quiet as the rank number. */
static int all_kinds(void) {
  const int next = next_rank();
  const int me = shmem_my_pe();
  char* heap = shmem_calloc(10, 100);
  put_longs(100);
  for (int i = 0; i < 10; ++i) shmem_long_put(cells, source, 4, next);
  for (int i = 0; i < 5; ++i) shmem_getmem(heap, heap, 13, next);
  for (int i = 0; i < 3; ++i) shmem_long_atomic_fetch_add(&cells[63], 1, 0);
  for (int i = 0; i <= me; ++i) shmem_quiet();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, result, source, 4);
  shmem_barrier_all();
  shmem_free(heap);
  return 0;
}

/* PE 0 of the team is the last rank. */
static int context_of_a_team(void) {
  const int ranks = shmem_n_pes();
  shmem_team_t backwards = SHMEM_TEAM_INVALID;
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, ranks - 1, -1, ranks, NULL, 0, &backwards);
  if (shmem_team_create_ctx(backwards, 0, &ctx) != 0) return 1;
  shmem_ctx_long_p(ctx, cells, 1, 0);
  shmem_ctx_quiet(ctx);
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(backwards);
  return 0;
}

static int switched(void) {
  put_longs(1);
  shmem_pcontrol(0);
  put_longs(2);
  shmem_pcontrol(1, "what follows is for other tools");
  put_longs(4);
  if (shmem_my_pe() == 0) shmem_pcontrol(2);
  put_longs(8);
  return 0;
}

static int nested(void) {
  shmem_init();
  put_longs(1);
  shmem_finalize();
  put_longs(2);
  return 0;
}

static int ends_job(void) {
  put_longs(5);
  shmem_barrier_all();
  if (shmem_my_pe() == shmem_n_pes() - 1) shmem_global_exit(3);
  for (;;) shmem_long_wait_until(&cells[63], SHMEM_CMP_EQ, -1);
}

/* Each rank puts 1000 times its number plus one to the next one; rank 2 comes late, three times. */
static void exchange(void) {
  shmem_putmem(blocks, blocks, 1000 * (size_t)(shmem_my_pe() + 1), next_rank());
}

static int late(void) {
  for (int round = 0; round < 3; ++round) {
    shmemx_region_begin("exchange");
    exchange();
    shmemx_region_end();
    if (shmem_my_pe() == 2) usleep(100000);
    shmem_barrier_all();
  }
  return 0;
}

/* 3000 bytes to a device and back, and 1000 from one device to another by the host. */
static int devices(void) {
  const int next = next_rank();
  char* device = shmemx_device_malloc(0, 5000);
  char* other = shmemx_device_malloc(1, 1000);
  if (shmemx_buffer_register(device, 5000) != 0) return 1;
  shmem_putmem(device, blocks, 3000, next);
  shmem_quiet();
  shmem_getmem(blocks, device, 3000, next);
  shmem_putmem(device + 4000, other, 1000, next);
  shmem_barrier_all();
  return shmemx_buffer_unregister(device);
}

/* Rank 1 is killed while the others wait. */
static int killed(void) {
  put_longs(5);
  shmem_barrier_all();
  if (shmem_my_pe() == 1) raise(SIGKILL);
  shmem_barrier_all();
  return 0;
}

static int run(const char* how) {
  if (strcmp(how, "all_kinds") == 0) return all_kinds();
  if (strcmp(how, "context_of_a_team") == 0) return context_of_a_team();
  if (strcmp(how, "devices") == 0) return devices();
  if (strcmp(how, "late") == 0) return late();
  if (strcmp(how, "killed") == 0) return killed();
  if (strcmp(how, "switched") == 0) return switched();
  if (strcmp(how, "nested") == 0) return nested();
  if (strcmp(how, "ends_job") == 0) return ends_job();
  if (strcmp(how, "all_end_job") == 0) shmem_global_exit(4);
  if (strcmp(how, "no_finalize") == 0) {
    put_longs(6);
    exit(0);
  }
  fprintf(stderr, "there is no way \"%s\"\n", how);
  return 1;
}

int main(int argc, char** argv) {
  shmem_init();
  if (argc != 2 || run(argv[1]) != 0) return 1;
  shmem_finalize();
  return 0;
}
