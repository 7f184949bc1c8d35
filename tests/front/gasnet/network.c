// The program of ../door/network.c as a GASNet-EX client. In each round every rank puts into the
// next, notifies it by a message, which it answers, and gets its data back. All add to a counter of
// rank 0 and sum their values. Each rank prints "ready" before the first round; rank 0 prints
// "right" after the last. Without a number of rounds it never ends.
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <string.h>

#include "job.h"

enum { words = 1500, told_words = 100, tell = 200, answer = 201 };

struct Segment {
  uint64_t counter;
  int64_t row[words];
};

static gex_AD_t domain;
static volatile int64_t told;  // the last round that the previous rank has announced
static int64_t told_row[told_words];
static volatile int64_t answered;  // the last round of which the next rank has been notified

static void on_tell(gex_Token_t token, void* text, size_t size, gex_AM_Arg_t round) {
  CHECK(size == sizeof(told_row));
  memcpy(told_row, text, size);
  told = round;
  gex_AM_ReplyShort1(token, answer, 0, round);
}

static void on_answer(gex_Token_t token, gex_AM_Arg_t round) {
  (void)token;
  answered = round;
}

static void start(int* argc, char*** argv) {
  gex_AM_Entry_t handlers[] = {
      {tell, (gex_AM_Fn_t)on_tell, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, "tell"},
      {answer, (gex_AM_Fn_t)on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, NULL, "answer"},
  };
  job_join(argc, argv, 1 << 16);
  CHECK(gex_EP_RegisterHandlers(gex_TM_QueryEP(job_team), handlers, 2) == GASNET_OK);
  gex_AD_Create(&domain, job_team, GEX_DT_U64, GEX_OP_INC | GEX_OP_GET, 0);
  memset(job_segment, 0, sizeof(struct Segment));
  job_barrier();
}

static void put_and_tell(gex_AM_Arg_t round) {
  const gex_Rank_t next = (job_me + 1) % job_ranks;
  struct Segment* there = (struct Segment*)(void*)job_segment_of(next);
  static int64_t out[words];
  static int64_t back[words];
  for (int i = 0; i < words; ++i) out[i] = (int64_t)round * words + i;
  CHECK(gex_RMA_PutBlocking(job_team, next, there->row, out, sizeof(out), 0) == GASNET_OK);
  CHECK(gex_AM_RequestMedium1(job_team, next, tell, out, sizeof(told_row), GEX_EVENT_NOW, 0,
                              round) == GASNET_OK);
  CHECK(gex_RMA_GetBlocking(job_team, back, next, there->row, sizeof(back), 0) == GASNET_OK);
  CHECK(memcmp(back, out, sizeof(out)) == 0);
  GASNET_BLOCKUNTIL(told == round && answered == round);
  CHECK(memcmp(((struct Segment*)(void*)job_segment)->row, out, sizeof(out)) == 0);
  CHECK(memcmp(told_row, out, sizeof(told_row)) == 0);
}

static void add_and_sum(gex_AM_Arg_t round) {
  uint64_t* counter = &((struct Segment*)(void*)job_segment_of(0))->counter;
  gex_Event_Wait(gex_AD_OpNB_U64(domain, NULL, 0, counter, GEX_OP_INC, 0, 0, 0));
  const int64_t mine = (int64_t)job_me + round;
  const int64_t ranks = (int64_t)job_ranks;
  int64_t sum = 0;
  gex_Event_Wait(gex_Coll_ReduceToAllNB(job_team, &sum, &mine, GEX_DT_I64, sizeof(mine), 1,
                                        GEX_OP_ADD, NULL, NULL, 0));
  CHECK(sum == ranks * round + ranks * (ranks - 1) / 2);
  job_barrier();
  uint64_t count = 0;
  gex_Event_Wait(gex_AD_OpNB_U64(domain, &count, 0, counter, GEX_OP_GET, 0, 0, 0));
  CHECK(count == (uint64_t)job_ranks * (uint64_t)round);
  job_barrier();
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 0;
  printf("ready\n");
  fflush(stdout);
  for (gex_AM_Arg_t round = 1; rounds == 0 || round <= rounds; ++round) {
    put_and_tell(round);
    add_and_sum(round);
  }
  if (job_me == 0) printf("right\n");
  fflush(stdout);
  gasnet_exit(0);
}
