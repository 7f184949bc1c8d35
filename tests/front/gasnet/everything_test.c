// All memory of a process, with GASNET_SEGMENT_EVERYTHING: heap, globals and stack of each rank
// accept puts, gets, pieces, atomic operations and payloads of Longs, without any segment. Devices
// are excluded.
//
// everything_test [seed]
#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnet_mk.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
#include <string.h>

#include "job.h"

enum { size = 300000, rounds = 12, most_ranks = 64, cells = 64 };

static unsigned char global[size];
struct Places {
  unsigned char *heap, *global, *stack;
  uint64_t* counter;
};
static struct Places places[most_ranks];
static uint64_t counter;
static volatile int longs, replies;

static unsigned char byte_of(size_t at, unsigned salt) {
  return (unsigned char)(at * 31 + at / 251 + salt);
}

static void fill(unsigned char* memory, size_t bytes, unsigned salt) {
  for (size_t i = 0; i < bytes; ++i) memory[i] = byte_of(i, salt);
}

static void expect(const unsigned char* memory, size_t bytes, unsigned salt) {
  for (size_t i = 0; i < bytes; ++i) CHECK(memory[i] == byte_of(i, salt));
}

static void answer_long(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t salt) {
  expect((unsigned char*)payload, bytes, (unsigned)salt);
  ++longs;
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  gex_AM_ReplyLong1(token, GEX_AM_INDEX_BASE + 1, payload, bytes,
                    places[info.gex_srcrank].heap + size, GEX_EVENT_NOW, 0, salt);
}

static void take_reply(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t salt) {
  (void)token;
  CHECK((unsigned char*)payload == places[job_me].heap + size);
  expect((unsigned char*)payload, bytes, (unsigned)salt);
  ++replies;
}

static void know_places(unsigned char* heap, unsigned char* stack) {
  for (gex_Rank_t rank = 0; rank < job_ranks; ++rank) {
    struct Places mine = {heap, global, stack, &counter};
    gex_Event_Wait(gex_Coll_BroadcastNB(job_team, rank, &places[rank], &mine, sizeof(mine), 0));
  }
}

// Only the right neighbour writes and reads here.
static void put_and_get(gex_Rank_t peer, unsigned char* there, unsigned salt) {
  static unsigned char ours[size], back[size];
  const size_t bytes = 1 + job_random(job_random(2) ? 100 : size - 1);
  fill(ours, bytes, salt);
  gex_Event_Wait(gex_RMA_PutNB(job_team, peer, there, ours, bytes, GEX_EVENT_NOW, 0));
  memset(back, 0, bytes);
  gex_Event_Wait(gex_RMA_GetNB(job_team, back, peer, there, bytes, 0));
  expect(back, bytes, salt);
  fill(ours, bytes, salt + 1);
  gex_RMA_PutNBI(job_team, peer, there, ours, bytes, GEX_EVENT_DEFER, 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
  gex_RMA_GetBlocking(job_team, back, peer, there, bytes, 0);
  expect(back, bytes, salt + 1);
  gex_RMA_PutBlockingVal(job_team, peer, there, 0x1234, 2, 0);
  CHECK(gex_RMA_GetBlockingVal(job_team, peer, there, 2, 0) == 0x1234);
}

static void move_pieces(gex_Rank_t peer, unsigned char* there) {
  unsigned char ours[cells * cells], back[cells * cells];
  const ptrdiff_t row = cells, packed = 8;
  const size_t count = cells;
  fill(ours, sizeof(ours), 5);
  gex_VIS_StridedPutBlocking(job_team, peer, there, &row, ours, &packed, 8, &count, 1, 0);
  memset(back, 0, sizeof(back));
  gex_VIS_StridedGetBlocking(job_team, back, &packed, peer, there, &row, 8, &count, 1, 0);
  expect(back, 8 * cells, 5);
  void* blocks[] = {there + 10, there + 5000};
  void* mine[] = {ours};
  gex_VIS_IndexedPutBlocking(job_team, peer, 2, blocks, 100, 1, mine, 200, 0);
  gex_Memvec_t list[] = {{there + 10, 100}, {there + 5000, 100}}, whole = {back, 200};
  gex_VIS_VectorGetBlocking(job_team, 1, &whole, peer, 2, list, 0);
  expect(back, 200, 5);
}

static void send_longs(gex_Rank_t peer, unsigned char* there, int before) {
  unsigned char payload[5000];
  const size_t bytes = job_random(sizeof(payload));
  fill(payload, bytes, 9);
  gex_AM_RequestLong1(job_team, peer, GEX_AM_INDEX_BASE, payload, bytes, there, GEX_EVENT_NOW, 0,
                      9);
  GASNET_BLOCKUNTIL(replies == before + 1);
  gex_AM_SrcDesc_t prepared =
      gex_AM_PrepareRequestLong(job_team, peer, NULL, 1000, 1000, there, NULL, 0, 1);
  fill((unsigned char*)gex_AM_SrcDescAddr(prepared), 1000, 11);
  gex_AM_CommitRequestLong1(prepared, GEX_AM_INDEX_BASE, 1000, there, 11);
  GASNET_BLOCKUNTIL(replies == before + 2 && longs == before + 2);
}

#if defined(GASNET_HAVE_MK_CLASS_MULTIPLE)
#error "peers reach memory of the host alone"
#endif
static void refuse_devices(gex_Client_t client) {
  gex_MK_Create_args_t args;
  memset(&args, 0, sizeof(args));
  args.gex_class = GONDWANA_MK_CLASS_EMULATED;
  gex_MK_t kind = GEX_MK_INVALID;
  CHECK(gex_MK_Create(&kind, client, &args, 0) == GASNET_ERR_BAD_ARG);
}

int main(int argc, char** argv) {
  unsigned char stack[size];
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  gex_Client_Init(&client, &endpoint, &job_team, "TEST", &argc, &argv, GEX_FLAG_USES_GASNET1);
  job_me = gex_TM_QueryRank(job_team);
  job_ranks = gex_TM_QuerySize(job_team);
  job_random_state = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * 1000 + job_me;
  CHECK(job_ranks <= most_ranks);
  CHECK(gex_Segment_Attach(&segment, job_team, gasnet_getMaxLocalSegmentSize()) == GASNET_OK);
  gasnet_seginfo_t info[most_ranks];
  CHECK(gasnet_getSegmentInfo(info, (int)job_ranks) == GASNET_OK);
  CHECK(info[job_ranks - 1].addr == NULL && info[job_ranks - 1].size == UINTPTR_MAX);
  gex_AM_Entry_t entries[] = {{GEX_AM_INDEX_BASE, (gex_AM_Fn_t)answer_long,
                               GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_LONG, 1, NULL, "answer_long"},
                              {GEX_AM_INDEX_BASE + 1, (gex_AM_Fn_t)take_reply,
                               GEX_FLAG_AM_REPLY | GEX_FLAG_AM_LONG, 1, NULL, "take_reply"}};
  CHECK(gex_EP_RegisterHandlers(endpoint, entries, 2) == GASNET_OK);
  unsigned char* heap = (unsigned char*)malloc(2 * size);
  know_places(heap, stack);
  job_barrier();
  gex_AD_t domain;
  gex_AD_Create(&domain, job_team, GEX_DT_U64, GEX_OP_ADD | GEX_OP_FADD | GEX_OP_FCAS, 0);
  const gex_Rank_t peer = (job_me + 1) % job_ranks;
  for (unsigned round = 0; round < rounds; ++round) {
    unsigned char* there[] = {places[peer].heap, places[peer].global, places[peer].stack};
    put_and_get(peer, there[round % 3], round);
    move_pieces(peer, there[(round + 1) % 3]);
    gex_Event_Wait(gex_AD_OpNB_U64(domain, NULL, 0, places[0].counter, GEX_OP_ADD, 1, 0, 0));
    job_barrier();  // a request's reply lies in the heap of its sender, where no one else writes
    send_longs(peer, places[peer].global, 2 * (int)round);
    job_barrier();
  }
  CHECK(job_me != 0 || counter == (uint64_t)rounds * job_ranks);
  uint64_t old = 0;
  gex_Event_Wait(gex_AD_OpNB_U64(domain, &old, 0, places[0].counter, GEX_OP_FADD, 0, 0, 0));
  CHECK(old == (uint64_t)rounds * job_ranks);
  job_barrier();
  gasnet_memset(peer, places[peer].heap, 7, size);
  job_barrier();
  for (size_t i = 0; i < size; ++i) CHECK(heap[i] == 7);
  free(heap);
  refuse_devices(client);
  gasnet_exit(0);
  return 0;
}
