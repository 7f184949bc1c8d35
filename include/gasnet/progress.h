// Polling, waiting, locks for handlers, barriers. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_PROGRESS_H
#define GONDWANA_GASNET_PROGRESS_H

#include "../gasnet_fwd.h"
#include "events.h"

#ifdef __cplusplus
extern "C" {
#endif

// Runs the handlers of messages that have come, a bounded number. Not from handlers. GASNET_OK.
int gasnet_AMPoll(void);

// One round of waiting for something the library cannot see: polls, and the longer nothing has come
// the more it gives up the processor. *rounds is 0 at first.
void gondwana_gex_await(unsigned int* rounds);

// Polls until condition, evaluated again each time, is true; what was written before it became true
// is visible afterwards.
#define GASNET_BLOCKUNTIL(condition)                           \
  do {                                                         \
    unsigned int gondwana_rounds = 0;                          \
    while (!(condition)) gondwana_gex_await(&gondwana_rounds); \
    __atomic_thread_fence(__ATOMIC_ACQUIRE);                   \
  } while (0)

// How the process waits. Unless told, the library chooses by what the machine has free. Returns
// GASNET_OK, or GASNET_ERR_BAD_ARG for another mode.
#define GASNET_WAIT_SPIN 0       // keeps the processor
#define GASNET_WAIT_BLOCK 1      // gives it up at once
#define GASNET_WAIT_SPINBLOCK 2  // keeps it for a while
int gasnet_set_waitmode(int wait_mode);

// A lock that handlers may take. Its holder neither polls nor communicates, and releases it before
// the handler returns. The fields are the library's. GASNet-EX 0.19, Handler-safe locks.
typedef struct {
  uint32_t gondwana_state;
  uint32_t gondwana_waiters;
  uintptr_t gondwana_owner;
} gex_HSL_t;
#define GEX_HSL_INITIALIZER {0, 0, 0}

// Trylock: GASNET_OK when the caller now holds the lock, GASNET_ERR_NOT_READY when another does.
void gex_HSL_Init(gex_HSL_t* hsl);
void gex_HSL_Destroy(gex_HSL_t* hsl);
void gex_HSL_Lock(gex_HSL_t* hsl);
void gex_HSL_Unlock(gex_HSL_t* hsl);
int gex_HSL_Trylock(gex_HSL_t* hsl);

// The barrier of GASNet-1 over the primordial team; not together with collectives over that team.
// Ids must agree, and be the same in notify and wait, unless ANONYMOUS (fits any id) or UNNAMED
// (everybody passes it, ids are not compared). MISMATCH: let every process fail. try: one attempt.
// GASNET_OK, GASNET_ERR_BARRIER_MISMATCH, or, try alone, GASNET_ERR_NOT_READY.
#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH 2
#define GASNET_BARRIERFLAG_UNNAMED 9  // ANONYMOUS is part of it
void gasnet_barrier_notify(int id, int flags);
int gasnet_barrier_wait(int id, int flags);
int gasnet_barrier_try(int id, int flags);
int gasnet_barrier(int id, int flags);

// Of the last barrier that succeeded: 0 and the id in *id, or non-zero where all were anonymous.
int gasnet_barrier_result(int* id);

// A barrier over a team: complete when all members have called. What happened before the call of
// any member is visible when the event is complete. flags is 0. GASNet-EX 0.19, Collectives Part I.
gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t flags);

// The same, waited for.
static inline void gex_Coll_BarrierBlocking(gex_TM_t tm, gex_Flags_t flags) {
  gex_Event_Wait(gex_Coll_BarrierNB(tm, flags));
}

// A hint that this library does not need: which thread is calling.
typedef void* gasnet_threadinfo_t;
#define GASNET_BEGIN_FUNCTION() ((void)0)
#define GASNET_POST_THREADINFO(info) ((void)(info))
#define GASNET_GET_THREADINFO() ((gasnet_threadinfo_t)0)

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_PROGRESS_H
