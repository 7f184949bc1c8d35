/* The host API of NVSHMEM, family by family. Symmetric memory may lie on a device: all access is by
 * calls. */
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 300, page = 4096 };

static int me;
static int pes;
static int right;
static int left;
static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "PE %d: not so: %s\n", me, what);
}

static void fill(long* block, long first) {
  long values[count];
  for (int i = 0; i < count; ++i) values[i] = first + i;
  nvshmem_long_put(block, values, count, me);
  nvshmem_barrier_all();
}

static void memory_is_symmetric(void) {
  char name[NVSHMEM_MAX_NAME_LEN];
  int major = 0;
  int minor = 0;
  nvshmem_info_get_name(name);
  nvshmem_info_get_version(&major, &minor);
  expect(strstr(name, "Gondwana") != NULL && major == 1 && minor == 3, "the library has a name");
  expect(nvshmemx_init_status() >= NVSHMEM_STATUS_IS_BOOTSTRAPPED, "the library has begun");
  char* cleared = nvshmem_calloc(page, 3);
  char* aligned = nvshmem_align(page, 100);
  expect(nvshmemx_init_status() == NVSHMEM_STATUS_IS_INITIALIZED, "there is a heap");
  expect((uintptr_t)aligned % page == 0, "a block is aligned");
  expect(nvshmem_char_g(cleared + 3L * page - 1, right) == 0, "a block is cleared");
  nvshmem_barrier_all();
  nvshmem_char_p(cleared, 7, right);
  nvshmem_barrier_all();
  expect(nvshmem_char_g(cleared, me) == 7, "a byte arrives");
  expect(nvshmem_ptr(cleared, me) == cleared, "the own address is a pointer");
  expect(nvshmemx_mc_ptr(NVSHMEM_TEAM_WORLD, cleared) == NULL, "there is no multicast");
  nvshmem_free(aligned);
  nvshmem_free(cleared);
  nvshmem_free(NULL);
  expect(nvshmem_malloc(0) == NULL, "no block of 0 bytes");
}

static void memory_of_the_program_becomes_symmetric(void) {
  double* own = malloc(page * sizeof(double));
  expect(nvshmemx_buffer_register(own, page) == 0 && nvshmemx_buffer_unregister(own) == 0,
         "local memory needs no registration");
  own[1] = 0;
  double* shared = nvshmemx_buffer_register_symmetric(own, page * sizeof(double), 0);
  nvshmem_double_p(shared + 1, me + 1, right);
  nvshmem_barrier_all();
  expect(own[1] == left + 1, "a peer writes there");
  expect(nvshmemx_buffer_unregister_symmetric(shared, page * sizeof(double)) == 0, "it ends");
  free(own);
}

static void elements_move(void) {
  long* block = nvshmem_malloc(2 * count * sizeof(long));
  long got[count];
  fill(block, 1000L * me);
  nvshmem_long_get(got, block, count, right);
  expect(got[count - 1] == 1000L * right + count - 1, "a get brings all");
  nvshmem_get64(block + count, block, count, right); /* from peer to symmetric memory */
  expect(nvshmem_long_g(block + count + 5, me) == 1000L * right + 5, "a get reaches the heap");
  memset(got, 0, sizeof(got));
  nvshmem_long_iget(got, block, 2, 3, 50, left);
  expect(got[98] == 1000L * left + 147 && got[97] == 0, "a get has strides");
  nvshmem_barrier_all();
  nvshmem_iput32(block + count, got, 4, 4, 20, right);
  nvshmem_putmem_nbi(block + count + 200, got, 80, right);
  nvshmem_quiet();
  nvshmem_fence();
  nvshmem_barrier_all();
  const half value = {0x1234};
  nvshmem_half_p((half*)block, value, right);
  nvshmem_double_p((double*)block + 1, 2.5, right);
  nvshmem_barrier_all();
  expect(nvshmem_half_g((half*)block, me).bits == 0x1234, "a half arrives");
  expect(nvshmem_double_g((double*)block + 1, me) == 2.5, "a double arrives");
  nvshmem_barrier_all();
  nvshmem_free(block);
}

static void words_are_updated(void) {
  long* words = nvshmem_calloc(8, sizeof(long));
  nvshmem_long_atomic_add(words, me + 1, 0);
  nvshmem_long_atomic_inc(words + 1, 0);
  nvshmem_uint64_atomic_fetch_or((uint64_t*)words + 2, 1ULL << me, 0);
  expect(nvshmem_long_atomic_compare_swap(words + 3, 0, 9, right) == 0, "a word is swapped");
  nvshmem_barrier_all();
  expect(nvshmem_long_atomic_fetch(words, 0) == (long)pes * (pes + 1) / 2, "words are added");
  expect(nvshmem_long_g(words + 1, 0) == pes, "words are counted");
  expect(nvshmem_long_g(words + 2, 0) == (1L << pes) - 1, "bits are set");
  expect(nvshmem_long_g(words + 3, me) == 9, "a word of a peer is swapped");
  nvshmem_barrier_all();
  nvshmem_free(words);
}

static void signals_follow_data(void) {
  uint64_t* signals = nvshmem_calloc(4, sizeof(uint64_t));
  long* block = nvshmem_malloc(count * sizeof(long));
  long values[3] = {me, 2, 3};
  nvshmem_long_put_signal(block, values, 3, signals, 5, NVSHMEM_SIGNAL_SET, right);
  expect(nvshmem_signal_wait_until(signals, NVSHMEM_CMP_GE, 5) == 5, "a signal is waited for");
  expect(nvshmem_long_g(block, me) == left, "data come before their signal");
  nvshmem_barrier_all();
  nvshmemx_signal_op(signals, 2, NVSHMEM_SIGNAL_ADD, right);
  nvshmem_uint64_wait_until(signals, NVSHMEM_CMP_NE, 5);
  expect(nvshmem_signal_fetch(signals) == 7, "a signal is added to");
  const int status[3] = {0, 1, 0};
  const uint64_t wanted[3] = {7, 0, 1};
  size_t indices[3];
  expect(nvshmem_uint64_test(signals, NVSHMEM_CMP_LT, 7) == 0, "a test says no");
  expect(nvshmem_uint64_test_any(signals, 3, status, NVSHMEM_CMP_GT, 0) == 0, "a test finds one");
  expect(nvshmem_uint64_test_all_vector(signals, 3, status, NVSHMEM_CMP_EQ, wanted) == 0,
         "a test of all says no");
  nvshmem_barrier_all();
  nvshmem_uint64_p(signals + 2, 1, right);
  nvshmem_uint64_wait_until_all_vector(signals, 3, status, NVSHMEM_CMP_EQ, wanted);
  expect(nvshmem_uint64_wait_until_some(signals, 3, indices, status, NVSHMEM_CMP_LE, 1) == 1 &&
             indices[0] == 2,
         "some are found");
  short* shorts = nvshmem_calloc(4, sizeof(short));
  nvshmem_short_p(shorts + 1, 3, right);
  expect(nvshmem_short_wait_until_any(shorts, 4, NULL, NVSHMEM_CMP_EQ, 3) == 1, "one comes");
  const short both[4] = {0, 3, 0, 0};
  expect(nvshmem_short_test_all_vector(shorts, 4, NULL, NVSHMEM_CMP_EQ, both) == 1,
         "all are there");
  nvshmem_barrier_all();
  nvshmem_free(shorts);
  nvshmem_free(block);
  nvshmem_free(signals);
}

static void teams_have_numbers(void) {
  expect(nvshmem_team_my_pe(NVSHMEM_TEAM_WORLD) == me, "the world is a team");
  expect(nvshmem_team_n_pes(NVSHMEM_TEAM_INVALID) == -1, "-1 is no team");
  const int on_node = nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE);
  expect(on_node >= 1 && on_node <= pes, "a node is a team");
  if (on_node == pes)
    expect(nvshmem_team_n_pes(NVSHMEMX_TEAM_SAME_MYPE_NODE) == 1, "one PE has this number");
  nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
  nvshmem_team_t team = NVSHMEM_TEAM_INVALID;
  nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, &config, 0, &team);
  expect((team == NVSHMEM_TEAM_INVALID) == (me % 2 == 1), "every other PE is a member");
  if (team != NVSHMEM_TEAM_INVALID) {
    expect(team >= NVSHMEM_TEAMS_MIN, "numbers of the program come last");
    expect(nvshmem_team_translate_pe(team, nvshmem_team_my_pe(team), NVSHMEM_TEAM_WORLD) == me,
           "numbers are translated");
    expect(nvshmem_barrier(team) == 0 && nvshmem_sync(team) == 0, "a team meets");
    nvshmem_team_get_config(team, &config);
  }
  nvshmem_team_destroy(team);
  nvshmem_team_t row = NVSHMEM_TEAM_INVALID;
  nvshmem_team_t column = NVSHMEM_TEAM_INVALID;
  nvshmem_team_split_2d(NVSHMEM_TEAM_WORLD, 2, &config, 0, &row, &config, 0, &column);
  expect(nvshmem_team_my_pe(row) == me % 2, "a row is a team");
  nvshmem_team_destroy(row);
  nvshmem_team_destroy(column);
}

static void all_take_part(void) {
  long* source = nvshmem_malloc(count * sizeof(long));
  long* dest = nvshmem_malloc(count * sizeof(long));
  fill(source, 1000L * me);
  expect(nvshmem_long_sum_reduce(NVSHMEM_TEAM_WORLD, dest, source, 10) == 0, "a sum");
  expect(nvshmem_long_g(dest + 9, me) == 500L * pes * (pes - 1) + 9L * pes, "terms are added");
  nvshmem_long_max_reducescatter(NVSHMEM_TEAM_WORLD, dest, source, 5);
  expect(nvshmem_long_g(dest + 4, me) == 1000L * (pes - 1) + 5L * me + 4, "parts are reduced");
  nvshmem_long_broadcast(NVSHMEM_TEAM_WORLD, dest, source, 20, pes - 1);
  expect(nvshmem_long_g(dest + 19, me) == 1000L * (pes - 1) + 19, "the root's words are there");
  nvshmem_barrier_all();
  nvshmem_long_fcollect(NVSHMEM_TEAM_WORLD, dest, source, 4);
  expect(nvshmem_long_g(dest + 4L * pes - 1, me) == 1000L * (pes - 1) + 3, "arrays are collected");
  nvshmem_barrier_all();
  nvshmem_alltoallmem(NVSHMEM_TEAM_WORLD, dest, source, sizeof(long));
  expect(nvshmem_long_g(dest + pes - 1, me) == 1000L * (pes - 1) + me, "blocks are exchanged");
  nvshmem_barrier_all();
  nvshmem_free(dest);
  nvshmem_free(source);
}

static void streams_are_in_order(void) {
  long* block = nvshmem_malloc(count * sizeof(long));
  uint64_t* signal = nvshmem_calloc(1, sizeof(uint64_t));
  fill(block, me);
  nvshmemx_long_put_on_stream(block + 100, block, 50, right, 0);
  nvshmemx_putmem_signal_on_stream(block + 200, block, 80, signal, 1, NVSHMEM_SIGNAL_SET, right, 0);
  nvshmemx_signal_wait_until_on_stream(signal, NVSHMEM_CMP_EQ, 1, 0);
  nvshmemx_quiet_on_stream(0);
  expect(nvshmemx_long_g_on_stream(block + 209, me, 0) == left + 9, "a stream waits for a signal");
  nvshmemx_barrier_all_on_stream(0);
  expect(nvshmemx_long_g_on_stream(block + 149, me, 0) == left + 49, "a stream puts");
  expect(nvshmemx_long_min_reduce_on_stream(NVSHMEM_TEAM_WORLD, block, block + 10, 4, 0) == 0 &&
             nvshmemx_long_g_on_stream(block, me, 0) == 10,
         "a stream reduces");
  nvshmem_barrier_all();
  nvshmem_free(signal);
  nvshmem_free(block);
}

static void live(void) {
  nvshmem_init();
  me = nvshmem_my_pe();
  pes = nvshmem_n_pes();
  right = (me + 1) % pes;
  left = (me + pes - 1) % pes;
  memory_is_symmetric();
  memory_of_the_program_becomes_symmetric();
  elements_move();
  words_are_updated();
  signals_follow_data();
  teams_have_numbers();
  all_take_part();
  streams_are_in_order();
  nvshmem_finalize();
  expect(nvshmemx_init_status() == NVSHMEM_STATUS_NOT_INITIALIZED, "the library has ended");
}

/* Each call ends the job. */
static void move_more_than_there_is(const char* what) {
  const size_t huge = (size_t)1 << 61; /* times 8 bytes: 0, if it wraps around */
  nvshmem_init();
  long* block = nvshmem_calloc(count, sizeof(long));
  if (strcmp(what, "broadcast") == 0)
    nvshmem_long_broadcast(NVSHMEM_TEAM_WORLD, block, block, huge, 0);
  else if (strcmp(what, "alltoall") == 0)
    nvshmem_long_alltoall(NVSHMEM_TEAM_WORLD, block, block + 1, huge);
  else
    nvshmem_long_sum_reducescatter(NVSHMEM_TEAM_WORLD, block, block + 1, huge);
}

int main(int argc, char** argv) {
  if (argc > 1) {
    move_more_than_there_is(argv[1]);
    return 0;
  }
  live();
  live(); /* nothing is left of the first time */
  return failures > 0;
}
