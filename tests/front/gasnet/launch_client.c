// A client that launch_test.py finds, compiles and starts in every way.
#include <gasnet.h>
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void work_for_long(gex_Token_t token) {
  (void)token;
  sleep(4);
}

// Rank 0 has left. Rank 1 handles a message while it waits for rank 2, which leaves, too.
static void serve(gex_TM_t team, unsigned rank) {
  gex_TM_t both;
  gex_TM_Split(&both, team, rank == 0 ? 0 : 1, (int)rank, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  if (rank == 0) exit(0);
  if (rank == 2) {
    usleep(300000);  // rank 1 waits by now
    gex_AM_RequestShort0(team, 1, GEX_AM_INDEX_BASE, 0);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(both, 0));
  exit(0);
}

static void show_neighbors(unsigned rank) {
  gex_RankInfo_t* host = NULL;
  gex_Rank_t neighbors = 0, on_host = 0, position = 0, hosts = 0, host_number = 0;
  gasnet_nodeinfo_t places[16];
  gex_System_QueryNbrhdInfo(NULL, &neighbors, NULL);
  gex_System_QueryHostInfo(&host, &on_host, &position);
  gex_System_QueryMyPosition(NULL, NULL, &hosts, &host_number);
  gasnet_getNodeInfo(places, (int)gex_System_QueryJobSize());
  const int is_alike = host[position].gex_jobrank == rank && places[rank].host == host_number;
  printf("%u neighbors, %u on this of %u hosts%s\n", (unsigned)neighbors, (unsigned)on_host,
         (unsigned)hosts, is_alike ? "" : ", which contradicts itself");
}

// Wrong: another thread's handler may wait for that lock.
static void poll_with_a_lock(void) {
  gex_HSL_t lock = GEX_HSL_INITIALIZER;
  gex_HSL_Lock(&lock);
  gasnet_AMPoll();
  gex_HSL_Unlock(&lock);
}

// Each rank performs the action named by its first argument. Returns the exit status.
static int act(gex_TM_t team, int argc, char** argv) {
  const char* action = argc > 1 ? argv[1] : "";
  const unsigned rank = gex_TM_QueryRank(team);
  char line[64] = "";
  if (strcmp(action, "words") == 0) {
    for (int i = 0; i < argc; ++i) printf("<%s>", argv[i]);
    printf("\n");
  } else if (strcmp(action, "segment") == 0) {
    printf("%zu\n", (size_t)gasnet_getMaxLocalSegmentSize());
  } else if (strcmp(action, "threads") == 0) {
    printf("%llu\n", (unsigned long long)gex_System_QueryMaxThreads());
  } else if (strcmp(action, "neighbors") == 0) {
    show_neighbors(rank);
  } else if (strcmp(action, "address") == 0) {
    printf("%p\n", (void*)(uintptr_t)&act);
  } else if (strcmp(action, "read") == 0) {
    printf("%u: %s\n", rank, fgets(line, sizeof(line), stdin) != NULL ? line : "nothing");
  } else if (strcmp(action, "status") == 0) {
    return atoi(argv[2]);
  } else if (strcmp(action, "leave") == 0) {
    if (rank == 0) exit(0);
    gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  } else if (strcmp(action, "serve") == 0) {
    serve(team, rank);
  } else if (strcmp(action, "poll-with-a-lock") == 0) {
    poll_with_a_lock();
  } else if (strcmp(action, "child") == 0) {
    return rank == 0 ? system(argv[0]) : 0;
  } else if (strcmp(action, "sleep") == 0) {
    printf("ready\n");
    fflush(stdout);
    sleep(1000);
  } else {
    printf("%u of %u\n", rank, (unsigned)gex_TM_QuerySize(team));
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "alone") == 0) return 0;  // never initialises GASNet
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  if (gex_Client_Init(&client, &endpoint, &team, "launch", &argc, &argv, 0) != GASNET_OK) return 99;
  gex_AM_Entry_t entry = {GEX_AM_INDEX_BASE,
                          (gex_AM_Fn_t)work_for_long,
                          GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT,
                          0,
                          NULL,
                          "work_for_long"};
  gex_EP_RegisterHandlers(endpoint, &entry, 1);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  const int status = act(team, argc, argv);
  fflush(stdout);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gasnet_exit(status);
  return status;
}
