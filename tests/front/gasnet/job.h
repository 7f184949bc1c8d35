// The start and the end of every program of this folder.
#ifndef GONDWANA_TESTS_GASNET_JOB_H
#define GONDWANA_TESTS_GASNET_JOB_H

#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      fprintf(stderr, "rank %u: %s:%d: not true: %s\n", job_me, __FILE__, __LINE__, #condition); \
      gasnet_exit(1);                                                                            \
    }                                                                                            \
  } while (0)

static gex_TM_t job_team;
static gex_Rank_t job_me;
static gex_Rank_t job_ranks;
static unsigned char* job_segment;  // of this rank
static unsigned long long job_random_state;

static void job_join(int* argc, char*** argv, size_t segment_size) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  gex_Client_Init(&client, &endpoint, &job_team, "TEST", argc, argv, 0);
  job_me = gex_TM_QueryRank(job_team);
  job_ranks = gex_TM_QuerySize(job_team);
  CHECK(gex_Segment_Attach(&segment, job_team, segment_size) == GASNET_OK);
  job_segment = (unsigned char*)gex_Segment_QueryAddr(segment);
}

// The same for a program with random numbers.
static inline void job_start(int* argc, char*** argv, size_t segment_size) {
  job_join(argc, argv, segment_size);
  job_random_state = *argc > 1 ? strtoull((*argv)[1], NULL, 10) : 1;
  if (job_me == 0) printf("seed %llu\n", job_random_state);
  job_random_state = job_random_state * 1000 + job_me;
}

static inline unsigned char* job_segment_of(gex_Rank_t rank) {
  void* address = NULL;
  CHECK(gex_Segment_QueryBound(job_team, rank, &address, NULL, NULL) == GASNET_OK);
  return (unsigned char*)address;
}

// xorshift; below `limit`.
static inline size_t job_random(size_t limit) {
  job_random_state ^= job_random_state << 13;
  job_random_state ^= job_random_state >> 7;
  job_random_state ^= job_random_state << 17;
  return (size_t)(job_random_state % limit);
}

static inline void job_barrier(void) {
  gex_Event_Wait(gex_Coll_BarrierNB(job_team, 0));
}

#endif  // GONDWANA_TESTS_GASNET_JOB_H
