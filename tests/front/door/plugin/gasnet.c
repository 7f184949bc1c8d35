#include <gasnetex.h>

int work(int finalizes);

/* The end of the process is the end of a client, too. */
int work(int finalizes) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  (void)finalizes;
  if (gex_Client_Init(&client, &endpoint, &team, "PLUGIN", NULL, NULL, 0) != GASNET_OK) return 0;
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  return 1;
}
