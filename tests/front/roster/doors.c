/* A job with --max-ranks in which a PE uses a door whose jobs cannot grow: doors gasnet|armci
 * before|after. The first PE calls that door before it asks for another PE, or after. */
#include <armci.h>
#include <gasnetex.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <string.h>

static void begin_armci(void) {
  ARMCI_Init();
}

static void begin_gasnet(void) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Client_Init(&client, &endpoint, &team, "doors", NULL, NULL, 0);
}

int main(int count, char** words) {
  if (count < 3) return 2;
  void (*const begin)(void) = strcmp(words[1], "gasnet") == 0 ? begin_gasnet : begin_armci;
  const int is_before = strcmp(words[2], "before") == 0;
  shmem_init();
  if (is_before) begin();
  if (shmem_my_pe() == 0 && (shmemx_spawn(1, NULL, NULL) == -1) != is_before) return 3;
  if (!is_before && shmem_my_pe() == 0) begin();
  if (shmem_n_pes() > 1) shmem_barrier_all();
  puts("end");
  shmem_finalize();
  return 0;
}
