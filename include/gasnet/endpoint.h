// Endpoints: where communication starts and ends. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_ENDPOINT_H
#define GONDWANA_GASNET_ENDPOINT_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes an endpoint without a segment and in no team. Local; indices count up from 1. capabilities:
// GEX_EP_CAPABILITY_ bits; flags: GEX_FLAG_HINT_ACCEL_ bits. GASNET_ERR_RESOURCE beyond
// GASNET_MAXEPS, GASNET_ERR_BAD_ARG for capabilities that are none; *ep_p is then unchanged.
// Memory Kinds, gex_EP_Create.
int gex_EP_Create(gex_EP_t* ep_p, gex_Client_t client, gex_EP_Capabilities_t capabilities,
                  gex_Flags_t flags);

// Destroys an endpoint that gex_EP_Create made and that nothing uses any more. Local; its segment
// stays. flags is 0.
void gex_EP_Destroy(gex_EP_t ep, gex_Flags_t flags);

// Gives an endpoint its segment, once. Several endpoints may have the same. Local: others learn of
// it by gex_EP_PublishBoundSegment. flags is 0. GASNET_OK or an error code.
int gex_EP_BindSegment(gex_EP_t ep, gex_Segment_t segment, gex_Flags_t flags);

// Tells the members of tm about the segments of these endpoints of the caller, so that they may be
// the target of communication. Collective over tm; each caller passes its own list, also an empty
// one. No communication may use the endpoints meanwhile. flags is 0. GASNET_OK or an error code.
int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t* eps, size_t num_eps, gex_Flags_t flags);

// The segment of the endpoint named by tm and rank: its address in its own process, its address
// here (null: not reachable by load and store) and its length in bytes; 0: no segment is known. Any
// pointer may be null. Complete when the event is; with GEX_FLAG_IMMEDIATE at once, or
// GEX_EVENT_NO_OP, and then also handlers may call it. GASNet-EX 0.19, Operations on gex_EP_t.
gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p,
                                       void** localaddr_p, uintptr_t* size_p, gex_Flags_t flags);

// Of a local endpoint: its client, flags, segment (GEX_SEGMENT_INVALID: none) and index.
gex_Client_t gex_EP_QueryClient(gex_EP_t ep);
gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep);
gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep);
gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep);

// A pointer of the client's, kept with the object; null at first.
void gex_EP_SetCData(gex_EP_t ep, const void* val);
void* gex_EP_QueryCData(gex_EP_t ep);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_ENDPOINT_H
