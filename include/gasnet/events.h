// Events and implicit operations. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_EVENTS_H
#define GONDWANA_GASNET_EVENTS_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

// Test: returns 0 if complete, without polling. Wait: polls until complete. Success consumes the
// event and, for a root event, its leaves. GEX_EVENT_INVALID is complete. GASNet-EX 0.19, Event
// test/wait.
int gondwana_gex_event_test(gex_Event_t event);
void gondwana_gex_event_wait(gex_Event_t event);
static inline int gex_Event_Test(gex_Event_t event) {
  return event == GEX_EVENT_INVALID ? 0 : gondwana_gex_event_test(event);
}
static inline void gex_Event_Wait(gex_Event_t event) {
  if (event != GEX_EVENT_INVALID) gondwana_gex_event_wait(event);
}

// The same for an array. Some: at least one event is complete, or none was left. All: every event
// is complete. Complete events become GEX_EVENT_INVALID, which is skipped. Leaves may be in the
// same array as their roots. flags is 0.
int gex_Event_TestSome(gex_Event_t* pevent, size_t numevents, gex_Flags_t flags);
void gex_Event_WaitSome(gex_Event_t* pevent, size_t numevents, gex_Flags_t flags);
int gex_Event_TestAll(gex_Event_t* pevent, size_t numevents, gex_Flags_t flags);
void gex_Event_WaitAll(gex_Event_t* pevent, size_t numevents, gex_Flags_t flags);

// The leaf of a root event in one category (GEX_EC_LC: local completion). Repeated calls return the
// same event. GEX_EVENT_INVALID: already complete.
gex_Event_t gex_Event_QueryLeaf(gex_Event_t root, gex_EC_t event_category);

// The calling thread's implicit (NBI) operations of these categories. Test: returns 0 if all are
// complete. Wait: polls until they are. flags is 0.
int gex_NBI_Test(gex_EC_t event_mask, gex_Flags_t flags);
void gex_NBI_Wait(gex_EC_t event_mask, gex_Flags_t flags);

// Between the two calls, the thread's implicit operations belong to the event that End returns, and
// not to gex_NBI_Test and gex_NBI_Wait. Regions do not nest. flags is 0.
void gex_NBI_BeginAccessRegion(gex_Flags_t flags);
gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t flags);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_EVENTS_H
