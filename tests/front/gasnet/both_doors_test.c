// One program, two doors: OpenSHMEM and GASNet-EX calls mixed without a barrier between them. A
// rank that waits in one door serves the other.
#include <gasnetex.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "rank %d: %s:%d: %s\n", shmem_my_pe(), __FILE__, __LINE__, #condition); \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

enum { add_request = 200, add_reply = 201, rounds = 2000 };

static long arrived;           // symmetric: written by peers through shmem.h
static volatile long answers;  // written by handlers here
static gex_TM_t team;
static gex_Client_t client;
static gex_EP_t endpoint;

// Symmetric variables; the middle ones become a segment of GASNet.
enum { elements = 3000 };
static struct {
  long left;
  long segment[elements];
  long right;
} variables;

// Runs on the target, whatever that rank is waiting for.
static void on_add(gex_Token_t token, gex_AM_Arg_t value) {
  gex_AM_ReplyShort1(token, add_reply, 0, value + 1);
}
static void on_answer(gex_Token_t token, gex_AM_Arg_t value) {
  (void)token;
  answers += value;
}

static void start_gasnet(int* argc, char*** argv) {
  gex_Segment_t segment;
  gex_AM_Entry_t handlers[] = {
      {add_request, (gex_AM_Fn_t)on_add, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "add"},
      {add_reply, (gex_AM_Fn_t)on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, NULL, "answer"},
  };
  CHECK(gex_Client_Init(&client, &endpoint, &team, "BOTH", argc, argv, 0) == GASNET_OK);
  CHECK(gex_EP_RegisterHandlers(endpoint, handlers, 2) == GASNET_OK);
  CHECK(gex_Segment_Attach(&segment, team, 1 << 20) == GASNET_OK);
}

// A symmetric variable stays symmetric as a segment, and so do its neighbours.
static void use_variables_as_segment(int me, int right, int left) {
  gex_Segment_t segment;
  gex_EP_t more;
  void* theirs = NULL;
  variables.segment[1] = -1;
  CHECK(gex_Segment_Create(&segment, client, variables.segment, sizeof(variables.segment),
                           GEX_MK_HOST, 0) == GASNET_OK);
  CHECK(gex_EP_Create(&more, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  CHECK(gex_EP_BindSegment(more, segment, 0) == GASNET_OK);
  CHECK(gex_EP_PublishBoundSegment(team, &more, 1, 0) == GASNET_OK);
  gex_TM_t pair = gex_TM_Pair(endpoint, gex_EP_QueryIndex(more));
  CHECK(gex_Segment_QueryBound(pair, (gex_Rank_t)right, &theirs, NULL, NULL) == GASNET_OK);
  const long value = 2000 + me;
  CHECK(gex_RMA_PutBlocking(pair, (gex_Rank_t)right, theirs, &value, sizeof(value), 0) == 0);
  shmem_long_p(&variables.left, value, right);
  shmem_long_p(&variables.segment[elements - 1], value, right);
  shmem_long_p(&variables.right, value, right);
  shmem_barrier_all();
  CHECK(variables.segment[0] == 2000 + left && variables.segment[1] == -1);
  CHECK(variables.segment[elements - 1] == 2000 + left);
  CHECK(variables.left == 2000 + left && variables.right == 2000 + left);
  long got = 0;
  CHECK(gex_RMA_GetBlocking(pair, &got, (gex_Rank_t)right, (long*)theirs + elements - 1,
                            sizeof(got), 0) == 0);
  CHECK(got == value);
  // The end is checked too: this range leaves the symmetric variables.
  CHECK(gex_Segment_Create(&segment, client, variables.segment, (size_t)1 << 50, GEX_MK_HOST, 0) !=
        GASNET_OK);
  shmem_barrier_all();
  gex_EP_Destroy(more, 0);
  gex_Segment_Destroy(segment, 0);
  shmem_long_p(&variables.segment[2], value, right);
  shmem_barrier_all();
  CHECK(variables.segment[2] == 2000 + left);
}

int main(int argc, char** argv) {
  const int gasnet_first = argc > 1 && argv[1][0] == 'g';
  if (gasnet_first) start_gasnet(&argc, &argv);
  shmem_init();
  if (!gasnet_first) start_gasnet(&argc, &argv);
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  const int right = (me + 1) % ranks;
  CHECK((int)gex_TM_QueryRank(team) == me && (int)gex_TM_QuerySize(team) == ranks);

  // Each round: a message to the right, then a wait in OpenSHMEM for the left.
  long expected = 0;
  for (int round = 1; round <= rounds; ++round) {
    CHECK(gex_AM_RequestShort1(team, (gex_Rank_t)right, add_request, 0, round) == 0);
    expected += round + 1;
    shmem_long_atomic_inc(&arrived, right);
    shmem_long_wait_until(&arrived, SHMEM_CMP_GE, round);
  }
  GASNET_BLOCKUNTIL(answers == expected);

  // A segment of GASNet and the symmetric heap are memory of the same rank.
  void* theirs = NULL;
  CHECK(gex_Segment_QueryBound(team, (gex_Rank_t)right, &theirs, NULL, NULL) == GASNET_OK);
  long* heap = shmem_calloc(1, sizeof(long));
  const long value = 1000 + me;
  CHECK(gex_RMA_PutBlocking(team, (gex_Rank_t)right, theirs, &value, sizeof(value), 0) == 0);
  shmem_long_p(heap, value, right);
  shmem_barrier_all();
  long got = 0;
  void* mine = NULL;
  CHECK(gex_Segment_QueryBound(team, (gex_Rank_t)me, &mine, NULL, NULL) == GASNET_OK);
  CHECK(gex_RMA_GetBlocking(team, &got, (gex_Rank_t)me, mine, sizeof(got), 0) == 0);
  CHECK(got == 1000 + (me + ranks - 1) % ranks && *heap == got);
  shmem_free(heap);
  use_variables_as_segment(me, right, (me + ranks - 1) % ranks);
  shmem_finalize();
  // The other door is still open.
  answers = 0;
  CHECK(gex_AM_RequestShort1(team, (gex_Rank_t)right, add_request, 0, 41) == 0);
  GASNET_BLOCKUNTIL(answers == 42);
  // A rank that has left answers no request.
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gasnet_exit(0);
}
