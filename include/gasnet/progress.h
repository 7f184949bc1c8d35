// Polling, waiting, handler-safe locks, barriers. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_PROGRESS_H
#define GONDWANA_GASNET_PROGRESS_H

#include "../gasnet_fwd.h"
#include "events.h"

#ifdef __cplusplus
extern "C" {
#endif

// Runs the handlers of a bounded number of arrived messages. Not from handlers. Returns GASNET_OK.
int gasnet_AMPoll(void);

// One round of a wait for a condition that the library cannot see. It polls, and yields the
// processor more, the longer no message arrives. *rounds is initially 0.
void gondwana_gex_await(unsigned int* rounds);

// Polls until condition, which is evaluated each time, is true. Data written before it became true
// is visible afterwards.
#define GASNET_BLOCKUNTIL(condition)                           \
  do {                                                         \
    unsigned int gondwana_rounds = 0;                          \
    while (!(condition)) gondwana_gex_await(&gondwana_rounds); \
    __atomic_thread_fence(__ATOMIC_ACQUIRE);                   \
  } while (0)

// How the process waits. By default the library decides by the free processors of the machine.
// Returns GASNET_OK, or GASNET_ERR_BAD_ARG for an unknown mode.
#define GASNET_WAIT_SPIN 0       // keeps the processor
#define GASNET_WAIT_BLOCK 1      // yields it at once
#define GASNET_WAIT_SPINBLOCK 2  // keeps it for a while
int gasnet_set_waitmode(int wait_mode);

// A lock that handlers may take. Its holder must neither poll nor communicate, and must release it
// before the handler returns. The fields belong to the library. GASNet-EX 0.19, Handler-safe locks.
typedef struct {
  uint32_t gondwana_state;
  uint32_t gondwana_waiters;
  uintptr_t gondwana_owner;
} gex_HSL_t;
#define GEX_HSL_INITIALIZER {0, 0, 0}

// Trylock: returns GASNET_OK if the caller now holds the lock, GASNET_ERR_NOT_READY if another
// thread does.
void gex_HSL_Init(gex_HSL_t* hsl);
void gex_HSL_Destroy(gex_HSL_t* hsl);
void gex_HSL_Lock(gex_HSL_t* hsl);
void gex_HSL_Unlock(gex_HSL_t* hsl);
int gex_HSL_Trylock(gex_HSL_t* hsl);

// The barrier of GASNet-1 over the primordial team. Do not combine it with collectives over that
// team. Ids must agree, and be the same in notify and wait, unless ANONYMOUS (matches any id) or
// UNNAMED (passed by all, ids are not compared). MISMATCH: makes every process fail. try: one
// attempt. Returns GASNET_OK, GASNET_ERR_BARRIER_MISMATCH, or, for try only, GASNET_ERR_NOT_READY.
#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH 2
#define GASNET_BARRIERFLAG_UNNAMED 9  // includes ANONYMOUS
void gasnet_barrier_notify(int id, int flags);
int gasnet_barrier_wait(int id, int flags);
int gasnet_barrier_try(int id, int flags);
int gasnet_barrier(int id, int flags);

// For the last barrier that succeeded: returns 0 and its id in *id, or nonzero if all callers were
// anonymous.
int gasnet_barrier_result(int* id);

// A barrier over a team. Complete when all members have called. Everything before the call of any
// member is visible when the event is complete. flags is 0. GASNet-EX 0.19, Collectives Part I.
gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t flags);

// The same, and waits for it.
static inline void gex_Coll_BarrierBlocking(gex_TM_t tm, gex_Flags_t flags) {
  gex_Event_Wait(gex_Coll_BarrierNB(tm, flags));
}

// A hint that identifies the calling thread. This library does not need it.
typedef void* gasnet_threadinfo_t;
#define GASNET_BEGIN_FUNCTION() ((void)0)
#define GASNET_POST_THREADINFO(info) ((void)(info))
#define GASNET_GET_THREADINFO() ((gasnet_threadinfo_t)0)

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_PROGRESS_H
