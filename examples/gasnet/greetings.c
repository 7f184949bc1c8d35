// Active messages: every rank sends a greeting to rank 0, whose handler stores it and replies.
//
//   pkg-config --cflags --libs gasnet-smp-seq      the flags to compile it
//   GASNET_PSHM_NODES=4 ./greetings                without a launcher, or
//   gondwana run -n 4 ./greetings
#include <gasnetex.h>
#include <stdio.h>
#include <string.h>

enum { greet = 200, answer = 201, longest = 64, most = 256 };

static char greetings[most][longest];  // at rank 0, by sender
static int greeted;
static int answered;

// Runs on rank 0 while it waits. The payload belongs to the library until the handler returns.
static void on_greet(gex_Token_t token, void* text, size_t size, gex_AM_Arg_t sender) {
  memcpy(greetings[sender], text, size);
  ++greeted;
  gex_AM_ReplyShort1(token, answer, 0, sender);
}

static void on_answer(gex_Token_t token, gex_AM_Arg_t sender) {
  (void)token;
  answered = (int)sender + 1;
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_AM_Entry_t handlers[] = {
      {greet, (gex_AM_Fn_t)on_greet, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, "greet"},
      {answer, (gex_AM_Fn_t)on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, NULL, "answer"},
  };
  gex_Client_Init(&client, &endpoint, &team, "GREETINGS", &argc, &argv, 0);
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));  // all ranks have registered their handlers

  const gex_Rank_t me = gex_TM_QueryRank(team);
  const gex_Rank_t ranks = gex_TM_QuerySize(team);
  if (ranks > most) {
    if (me == 0) fprintf(stderr, "greetings: at most %d ranks\n", (int)most);
    gasnet_exit(2);
  }
  char text[longest];
  const int length = snprintf(text, sizeof(text), "rank %u of %u says hello", me, ranks);
  gex_AM_RequestMedium1(team, 0, greet, text, (size_t)length + 1, GEX_EVENT_NOW, 0,
                        (gex_AM_Arg_t)me);
  GASNET_BLOCKUNTIL(answered == (int)me + 1);

  if (me == 0) {
    GASNET_BLOCKUNTIL(greeted == (int)ranks);
    for (gex_Rank_t i = 0; i < ranks; ++i) puts(greetings[i]);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gasnet_exit(0);
}
