/* lives LIVES [LIFE]: starts and ends the library repeatedly. Each life uses new teams, contexts,
 * signals, locks, collectives and memory, and leaves some of them for finalize. Their kind and
 * number depend on the number of the life, so nothing of an earlier life matches. Compiled with
 * LIVES_WITH_GASNET, a client of GASNet-EX joins in life LIFE and stays. */
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef LIVES_WITH_GASNET
#include <gasnetex.h>
#endif

enum { most_ranks = 64, block = 64 * 1024, large_block = 1024 * 1024, large = 32 * 1024 };

static long here[most_ranks];
static long cell;
static long in_team;
static long total;
static long lock;
static long guarded;
static uint64_t signal_word;
static long many[large];
static long others[large];

static int me;
static int ranks;
static int life;
static int made = 0; /* teams, so that no two meetings have one number */
static int failures = 0;

static void expect(long found, long wanted, const char* what) {
  if (found == wanted || failures++ > 0) return;
  fprintf(stderr, "life %d, rank %d: %s: %ld, not %ld\n", life, me, what, found, wanted);
}

static void sleep_us(long us) {
  const struct timespec time = {.tv_sec = 0, .tv_nsec = us * 1000L};
  nanosleep(&time, NULL);
}

/* Memory from shmem_calloc is zero, whatever an earlier life stored there. */
static void memory(size_t size) {
  unsigned char* bytes = shmem_calloc(size, 1);
  size_t dirty = 0;
  for (size_t i = 0; i < size; ++i) dirty += bytes[i] != 0;
  expect((long)dirty, 0, "bytes of new memory that are not zero");
  memset(bytes, 0xab, size);
  shmem_barrier_all();
  if (life % 3 == 0) shmem_free(bytes);
}

/* No member leaves a synchronization before the last member has arrived. */
static void meet(shmem_team_t team, long number) {
  const int size = shmem_team_n_pes(team);
  const int mine = shmem_team_my_pe(team);
  if (mine == number % size) sleep_us(200);
  for (int member = 0; member < size; ++member)
    shmem_long_p(&here[mine], number, shmem_team_translate_pe(team, member, SHMEM_TEAM_WORLD));
  shmem_quiet();
  shmem_team_sync(team);
  for (int member = 0; member < size; ++member)
    expect(here[member] >= number, 1, "a member that was waited for has come");
  shmem_team_sync(team);
}

static void sum(shmem_team_t team, long wanted) {
  shmem_long_sum_reduce(team, &in_team, &cell, 1);
  expect(in_team, wanted, "sum of a team");
}

/* A team of every `step`th rank from `start` on. */
static void team_of(int start, int step) {
  const int size = (ranks - start + step - 1) / step;
  shmem_team_t team = SHMEM_TEAM_INVALID;
  ++made;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, start, step, size, NULL, 0, &team);
  if (team == SHMEM_TEAM_INVALID) return;
  long wanted = 0;
  for (int member = 0; member < size; ++member) wanted += 100L * life + start + (long)member * step;
  for (int i = 0; i < 1 + (13 * life + step) % 7; ++i) {
    cell = 100L * life + me;
    sum(team, wanted);
  }
  for (int i = 0; i < 1 + life % 3; ++i) meet(team, 10L * made + i);
  if (life % 2 == 0) shmem_team_destroy(team);
}

static void teams(void) {
  memset(here, 0, sizeof(here));
  shmem_barrier_all();
  team_of(0, 1);
  if (ranks > 1) {
    if (life % 3 == 0) team_of(0, ranks - 1);
    team_of(0, 2);
    team_of(1, 2);
    team_of(life % ranks, 1);
  }
  shmem_barrier_all();
}

static void contexts(void) {
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  expect(shmem_ctx_create(life % 2 == 0 ? 0 : SHMEM_CTX_SERIALIZED, &context), 0, "a context");
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  shmem_ctx_long_p(context, &cell, 7L * life + me, right);
  if (life % 2 == 0) shmem_ctx_destroy(context);
  shmem_barrier_all();
  if (life % 2 != 0) shmem_ctx_quiet(context);
  shmem_barrier_all();
  expect(cell, 7L * life + left, "a put through a context");
  shmem_barrier_all();
}

static void signals(void) {
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  const size_t count = life % 2 == 0 ? 16 : large;
  for (size_t i = 0; i < count; ++i) others[i] = life + me + (long)i;
  signal_word = 0;
  shmem_barrier_all();
  shmem_long_put_signal(many, others, count, &signal_word, (uint64_t)life, SHMEM_SIGNAL_SET, right);
  shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, (uint64_t)life);
  long wrong = 0;
  for (size_t i = 0; i < count; ++i) wrong += many[i] != life + left + (long)i;
  expect(wrong, 0, "numbers behind a signal that are wrong");
  shmem_barrier_all();
}

static void locks(void) {
  guarded = 0;
  shmem_barrier_all();
  for (int i = 0; i < 3; ++i) {
    shmem_set_lock(&lock);
    const long before = shmem_long_g(&guarded, 0);
    shmem_long_p(&guarded, before + 1, 0);
    shmem_clear_lock(&lock);
  }
  shmem_barrier_all();
  expect(shmem_long_g(&guarded, 0), 3L * ranks, "what a lock guards");
  shmem_barrier_all();
}

static void copies(void) {
  for (long i = 0; i < large; ++i) others[i] = me == life % ranks ? life + i : 0;
  shmem_long_broadcast(SHMEM_TEAM_WORLD, many, others, large, life % ranks);
  long wrong = 0;
  for (long i = 0; i < large; ++i) wrong += many[i] != life + i;
  expect(me == life % ranks ? 0 : wrong, 0, "numbers of a broadcast that are wrong");
  cell = life;
  shmem_barrier_all();
  shmem_long_atomic_add(&cell, me, (me + 1) % ranks);
  shmem_barrier_all();
  expect(cell, life + (me + ranks - 1) % ranks, "an atomic update");
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &cell, 1);
  expect(total, (long)ranks * life + ranks * (ranks - 1L) / 2, "sum of the world");
  shmem_barrier_all();
}

#ifdef LIVES_WITH_GASNET
enum { raise_number = GEX_AM_INDEX_BASE };

static gex_TM_t world;
static int has_joined = 0;
static volatile long raised = 0;

static void raise_handler(gex_Token_t token, gex_AM_Arg_t by) {
  (void)token;
  raised += by;
}

static void join(void) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_AM_Entry_t handlers[] = {{.gex_index = raise_number,
                                .gex_fnptr = (gex_AM_Fn_t)raise_handler,
                                .gex_flags = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST,
                                .gex_nargs = 1,
                                .gex_cdata = NULL,
                                .gex_name = NULL}};
  gex_Client_Init(&client, &endpoint, &world, "lives", NULL, NULL, 0);
  gex_EP_RegisterHandlers(endpoint, handlers, 1);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  has_joined = 1;
}

/* One client continues through all lives, and between two lives of the other door. */
static void messages(void) {
  if (!has_joined) return;
  const long before = raised;
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  for (int peer = 0; peer < ranks; ++peer)
    gex_AM_RequestShort1(world, (gex_Rank_t)peer, raise_number, 0, life);
  GASNET_BLOCKUNTIL(raised == before + (long)life * ranks);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
}
#else
static void join(void) {}
static void messages(void) {}
#endif

/* Left for finalize: a buffer of the program, and a heap on devices, where there are any. */
static void buffers(void) {
  static long* own = NULL;
  if (own == NULL) own = calloc(512, sizeof(long)); /* the same in each life */
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  expect(shmemx_buffer_register(own, 512 * sizeof(long)), 0, "a buffer");
  shmem_long_p(own + 5, 100L * life + me, right);
  shmem_barrier_all();
  expect(own[5], 100L * life + left, "a put to a buffer");
  if (shmemx_devices() == 0) return;
  expect(shmemx_device_heap_create(0, large_block), 0, "a heap on devices");
  long* words = shmemx_device_heap_malloc(block);
  shmem_long_p(words + 3, 100L * life + me, right);
  shmem_barrier_all();
  expect(shmem_long_g(words + 3, me), 100L * life + left, "a put to a heap on devices");
  shmem_barrier_all();
}

static void live(int joins) {
  shmem_init();
  me = shmem_my_pe();
  ranks = shmem_n_pes();
  memory(block);
  if (life % 4 == 0) memory(large_block);
  if (joins) join();
  messages();
  for (int i = 0; i < (5 * life) % 7; ++i) shmem_sync_all();
  teams();
  contexts();
  signals();
  locks();
  copies();
  memory(block);
  if (life == 1 || life == 5 || life == 6) buffers(); /* rarely: it takes long between nodes */
  if (me == life % ranks) sleep_us(300);
  shmem_finalize();
  messages();
}

int main(int argc, char** argv) {
  const int lives = argc > 1 ? atoi(argv[1]) : 3;
  const int joins_in = argc > 2 ? atoi(argv[2]) : 0;
  for (life = 1; life <= lives && failures == 0; ++life) live(life == joins_in);
  if (failures == 0 && me == 0) printf("%d lives\n", lives);
  return failures > 0;
}
