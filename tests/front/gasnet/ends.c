// ends HOW STATUS: messages are under way when the job ends, without a barrier before. "all": each
// rank sends messages to all others and calls gasnet_exit; "main": and returns from main; "one":
// the last rank does, while the others send and send.
//
// ends HOW STATUS quit: all ranks handle SIGQUIT. Rank 0 calls gasnet_exit ("alone"), dies
// ("crash"), or gets a signal ("INT", "TERM"), while the others wait in a barrier, and the last one
// sleeps.
#include <gasnet.h>
#include <gasnet_tools.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ping = GEX_AM_INDEX_BASE, pong };

static gex_TM_t team;

static void on_ping(gex_Token_t token, gex_AM_Arg_t number) {
  if (number % 3 == 0) gex_AM_ReplyShort1(token, pong, 0, number);
}

static void on_pong(gex_Token_t token, gex_AM_Arg_t number) {
  (void)token;
  (void)number;
}

static void send_messages(int count) {
  const gex_Rank_t ranks = gex_TM_QuerySize(team);
  const gex_Rank_t me = gex_TM_QueryRank(team);
  for (int i = 0; count == 0 || i < count; ++i)
    gex_AM_RequestShort1(team, (me + 1 + (gex_Rank_t)i) % ranks, ping, 0, i);
}

static void quit(int number) {
  (void)number;
  static const char told[] = "SIGQUIT\n";
  if (write(STDOUT_FILENO, told, sizeof(told) - 1) < 0) abort();
  gasnet_exit(4);
}

static void end_elsewhere(const char* how, int status) {
  const gex_Rank_t me = gex_TM_QueryRank(team);
  if (me == gex_TM_QuerySize(team) - 1) sleep(1000);
  if (me != 0) gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (strcmp(how, "alone") == 0) gasnet_exit(status);
  if (strcmp(how, "crash") == 0) abort();
  raise(strcmp(how, "INT") == 0 ? SIGINT : SIGTERM);
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_AM_Entry_t handlers[] = {
      {ping, (gex_AM_Fn_t)on_ping, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "ping"},
      {pong, (gex_AM_Fn_t)on_pong, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, NULL, "pong"}};
  if (argc == 4) gasnett_reghandler(SIGQUIT, quit);
  gex_Client_Init(&client, &endpoint, &team, "ends", &argc, &argv, 0);
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (argc < 3) return 1;
  const int is_last = gex_TM_QueryRank(team) == gex_TM_QuerySize(team) - 1;
  const int status = atoi(argv[2]);
  if (argc == 4) end_elsewhere(argv[1], status);
  if (strcmp(argv[1], "one") == 0 && !is_last) send_messages(0);
  send_messages(2000);
  if (strcmp(argv[1], "main") == 0) return status;
  gasnet_exit(status);
}
