// The collectives with gasnet_coll_ names. Part of gasnet_coll.h.
#ifndef GONDWANA_GASNET_LEGACY_COLLECTIVES_H
#define GONDWANA_GASNET_LEGACY_COLLECTIVES_H

#include "../gasnetex.h"

#ifdef __cplusplus
extern "C" {
#endif

// A team. Any gex_TM_t is valid. GASNET_TEAM_ALL is the primordial one.
typedef gex_TM_t gasnet_team_handle_t;
gex_TM_t gondwana_gasnet_team(void);
#define GASNET_TEAM_ALL (gondwana_gasnet_team())

// A participant, by its rank. Each process is one participant.
typedef gex_Rank_t gasnet_image_t;

typedef gex_Event_t gasnet_coll_handle_t;
#define GASNET_COLL_INVALID_HANDLE ((gasnet_coll_handle_t)0)

// When the data of other ranks may be accessed. IN_NOSYNC: at once. IN_MYSYNC: the data of a rank
// when it has called. IN_ALLSYNC: when all ranks have called. OUT: whose data is complete when the
// call is complete. OUT_NOSYNC: unknown before a barrier. OUT_MYSYNC: the caller's. OUT_ALLSYNC:
// all. Pass one IN and one OUT flag.
#define GASNET_COLL_IN_NOSYNC 0x001
#define GASNET_COLL_IN_MYSYNC 0x002
#define GASNET_COLL_IN_ALLSYNC 0x004
#define GASNET_COLL_OUT_NOSYNC 0x008
#define GASNET_COLL_OUT_MYSYNC 0x010
#define GASNET_COLL_OUT_ALLSYNC 0x020
// SINGLE: all ranks pass the same addresses. LOCAL: each passes its own. Pass one of the two.
#define GASNET_COLL_SINGLE 0x040
#define GASNET_COLL_LOCAL 0x080
// Hints: the memory is in bound segments.
#define GASNET_COLL_SRC_IN_SEGMENT 0x800
#define GASNET_COLL_DST_IN_SEGMENT 0x400

// Copies nbytes from src of srcimage to dst of all ranks.
void gasnet_coll_broadcast(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage, void* src,
                           size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_broadcast_nb(gasnet_team_handle_t team, void* dst,
                                              gasnet_image_t srcimage, void* src, size_t nbytes,
                                              int flags);

// Copies the i-th nbytes of src of srcimage to dst of rank i.
void gasnet_coll_scatter(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage, void* src,
                         size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_scatter_nb(gasnet_team_handle_t team, void* dst,
                                            gasnet_image_t srcimage, void* src, size_t nbytes,
                                            int flags);

// Copies nbytes from src of rank i to the i-th nbytes of dst of dstimage.
void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst, void* src,
                        size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_gather_nb(gasnet_team_handle_t team, gasnet_image_t dstimage,
                                           void* dst, void* src, size_t nbytes, int flags);

// Copies nbytes from src of rank i to the i-th nbytes of dst of all ranks.
void gasnet_coll_gather_all(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes,
                            int flags);
gasnet_coll_handle_t gasnet_coll_gather_all_nb(gasnet_team_handle_t team, void* dst, void* src,
                                               size_t nbytes, int flags);

// Copies the j-th nbytes of src of rank i to the i-th nbytes of dst of rank j.
void gasnet_coll_exchange(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes,
                          int flags);
gasnet_coll_handle_t gasnet_coll_exchange_nb(gasnet_team_handle_t team, void* dst, void* src,
                                             size_t nbytes, int flags);

// try: polls once, and returns GASNET_OK if complete, otherwise GASNET_ERR_NOT_READY. wait: polls
// until complete. some: at least one of the array; all: every one.
static inline int gasnet_coll_try_sync(gasnet_coll_handle_t handle) {
  (void)gasnet_AMPoll();
  return gex_Event_Test(handle) ? GASNET_ERR_NOT_READY : GASNET_OK;
}
static inline int gasnet_coll_try_sync_some(gasnet_coll_handle_t* handles, size_t numhandles) {
  (void)gasnet_AMPoll();
  return gex_Event_TestSome(handles, numhandles, 0) ? GASNET_ERR_NOT_READY : GASNET_OK;
}
static inline int gasnet_coll_try_sync_all(gasnet_coll_handle_t* handles, size_t numhandles) {
  (void)gasnet_AMPoll();
  return gex_Event_TestAll(handles, numhandles, 0) ? GASNET_ERR_NOT_READY : GASNET_OK;
}
static inline void gasnet_coll_wait_sync(gasnet_coll_handle_t handle) {
  gex_Event_Wait(handle);
}
static inline void gasnet_coll_wait_sync_some(gasnet_coll_handle_t* handles, size_t numhandles) {
  gex_Event_WaitSome(handles, numhandles, 0);
}
static inline void gasnet_coll_wait_sync_all(gasnet_coll_handle_t* handles, size_t numhandles) {
  gex_Event_WaitAll(handles, numhandles, 0);
}

// The barrier of gasnet_barrier over a team, with its ids, flags and results.
void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_result(gasnet_team_handle_t team, int* id);

// Files of tuning results. This library does no tuning, so these functions have no effect.
static inline void gasnet_coll_dumpTuningState(const char* filename, gasnet_team_handle_t team) {
  (void)filename;
  (void)team;
}
static inline void gasnet_coll_loadTuningState(const char* filename, gasnet_team_handle_t team) {
  (void)filename;
  (void)team;
}
static inline void gasnet_coll_dumpProfile(const char* filename, gasnet_team_handle_t team) {
  (void)filename;
  (void)team;
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_LEGACY_COLLECTIVES_H
