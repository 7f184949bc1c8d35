/* Makes known numbers of GASNet-EX calls, in the way that its argument names. */
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
#include <gasnetex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { on_request = 200, on_reply = 201, threads = 3 };

static gex_Client_t client;
static gex_EP_t endpoint;
static gex_TM_t team;
static gex_Rank_t me, next_rank;
static char* theirs; /* the segment of the next rank */
static char* first;  /* that of rank 0 */
static volatile int answers;

static void request(gex_Token_t token, void* payload, size_t nbytes) {
  (void)payload;
  (void)nbytes;
  gex_AM_ReplyShort0(token, on_reply, 0);
}

static void reply(gex_Token_t token) {
  (void)token;
  ++answers;
}

static char* segment_of(gex_Rank_t rank) {
  void* address = NULL;
  gex_Segment_QueryBound(team, rank, &address, NULL, NULL);
  return (char*)address;
}

static void start(int* argc, char*** argv) {
  gex_Segment_t segment;
  gex_AM_Entry_t handlers[] = {
      {on_request, (gex_AM_Fn_t)request, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, NULL, NULL},
      {on_reply, (gex_AM_Fn_t)reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, NULL},
  };
  gex_Client_Init(&client, &endpoint, &team, "PROFILE", argc, argv, 0);
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  gex_Segment_Attach(&segment, team, 1 << 16);
  me = gex_TM_QueryRank(team);
  next_rank = (me + 1) % gex_TM_QuerySize(team);
  theirs = segment_of(next_rank);
  first = segment_of(0);
}

static void barrier(void) {
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
}

static void put_longs(int count) {
  for (long i = 0; i < count; ++i)
    gex_RMA_PutBlocking(team, next_rank, theirs + 8 * (i % 64), &i, sizeof(i), 0);
}

static void update(void) {
  gex_AD_t domain;
  int64_t old = 0;
  gex_AD_Create(&domain, team, GEX_DT_I64, GEX_OP_FADD, 0);
  for (int i = 0; i < 3; ++i)
    gex_Event_Wait(gex_AD_OpNB_I64(domain, &old, 0, first + 4096, GEX_OP_FADD, 1, 0, 0));
  barrier();
  gex_AD_Destroy(domain);
}

static void put_strided(void) {
  static const int from[6];
  const ptrdiff_t strides[] = {4, 12};
  const size_t counts[] = {3, 2};
  gex_VIS_StridedPutBlocking(team, next_rank, theirs + 8192, strides, (void*)from, strides,
                             sizeof(from[0]), counts, 2, 0);
}

static int all_kinds(void) {
  char buffer[32] = "";
  long sums[4] = {1, 2, 3, 4};
  put_longs(100);
  for (int i = 0; i < 3; ++i) gex_RMA_PutBlockingVal(team, next_rank, theirs, 7, 4, 0);
  for (int i = 0; i < 10; ++i)
    gex_RMA_PutNBI(team, next_rank, theirs + 1024, buffer, 32, GEX_EVENT_NOW, 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
  for (int i = 0; i < 5; ++i) gex_RMA_GetBlocking(team, buffer, next_rank, theirs, 13, 0);
  for (int i = 0; i < 7; ++i)
    gex_AM_RequestMedium0(team, next_rank, on_request, buffer, 20, GEX_EVENT_NOW, 0);
  GASNET_BLOCKUNTIL(answers == 7);
  update();
  put_strided();
  gex_Event_Wait(gex_Coll_ReduceToAllNB(team, sums, sums, GEX_DT_I64, sizeof(long), 4, GEX_OP_ADD,
                                        NULL, NULL, 0));
  barrier();
  return 0;
}

/* Each rank puts 1000 times its number plus one to the next one; rank 2 comes late, three times. */
static void exchange(void) {
  static char block[8000];
  gex_RMA_PutBlocking(team, next_rank, theirs, block, 1000 * (size_t)(me + 1), 0);
}

static int late(void) {
  for (int round = 0; round < 3; ++round) {
    exchange();
    if (me == 2) usleep(100000);
    barrier();
  }
  return 0;
}

static void* put_from_a_thread(void* unused) {
  (void)unused;
  put_longs(1000);
  return NULL;
}

static int with_threads(void) {
  pthread_t others[threads];
  for (int i = 0; i < threads; ++i) pthread_create(&others[i], NULL, put_from_a_thread, NULL);
  for (int i = 0; i < threads; ++i) pthread_join(others[i], NULL);
  barrier();
  return 0;
}

static int ends_job(void) {
  put_longs(5);
  barrier();
  if (next_rank == 0) gasnet_exit(3);
  GASNET_BLOCKUNTIL(answers == -1);
  return 0;
}

static int run(const char* how) {
  if (strcmp(how, "all_kinds") == 0) return all_kinds();
  if (strcmp(how, "late") == 0) return late();
  if (strcmp(how, "threads") == 0) return with_threads();
  if (strcmp(how, "ends_job") == 0) return ends_job();
  if (strcmp(how, "returns") == 0) {
    all_kinds();
    exit(0);
  }
  fprintf(stderr, "there is no way \"%s\"\n", how);
  return 1;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  gasnet_exit(argc == 2 ? run(argv[1]) : 1);
  return 0;
}
