/* A client without a launcher: its processes are children that this program starts anew, with the
   unique id in hexadecimal digits as an argument. */
#include <gasnet/unique_id.h>
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ranks = 3, bytes = GONDWANA_GASNET_UNIQUEID_BYTES };

static int failed;

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", what);
  failed = 1;
}

/* Each rank writes to the segment of the next one. */
static void work(gex_Rank_t rank) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Segment_t segment;
  expect(gex_Client_Init(&client, &endpoint, &team, "unique", NULL, NULL, 0) == GASNET_OK, "init");
  expect(gex_TM_QueryRank(team) == rank && gex_TM_QuerySize(team) == ranks, "rank and size");
  expect(gex_Segment_Attach(&segment, team, 65536) == GASNET_OK, "segment");
  const gex_Rank_t next = (rank + 1) % ranks;
  void* there = NULL;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team, next, &there, NULL, NULL, 0));
  long value = 100 + (long)rank;
  gex_RMA_PutBlocking(team, next, there, &value, sizeof value, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  const long* own = gex_Segment_QueryAddr(segment);
  expect(*own == 100 + (long)((rank + ranks - 1) % ranks), "the value of the rank before");
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
}

static int be_rank(const char* digits, gex_Rank_t rank) {
  unsigned char id[bytes];
  for (int i = 0; i < bytes; ++i) {
    const char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
    id[i] = (unsigned char)strtoul(pair, NULL, 16);
  }
  expect(gondwana_gasnet_join_uniqueid(id, ranks, ranks) != GASNET_OK, "no such rank");
  if (gondwana_gasnet_join_uniqueid(id, rank, ranks) != GASNET_OK) return 1;
  work(rank);
  gasnet_exit(failed);
}

int main(int count, char** words) {
  if (count == 3) return be_rank(words[1], (gex_Rank_t)atoi(words[2]));
  unsigned char id[bytes];
  char digits[2 * bytes + 1], number[16];
  expect(gondwana_gasnet_get_uniqueid(id) == GASNET_OK, "an id");
  for (int i = 0; i < bytes; ++i) snprintf(digits + 2 * i, 3, "%02x", id[i]);
  for (int rank = 0; rank < ranks; ++rank) {
    if (fork() != 0) continue;
    snprintf(number, sizeof number, "%d", rank);
    execl(words[0], words[0], digits, number, (char*)NULL);
    _exit(127);
  }
  int status = 0;
  while (wait(&status) > 0) failed |= status != 0;
  return failed;
}
