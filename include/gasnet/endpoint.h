// Endpoints: the sources and targets of communication. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_ENDPOINT_H
#define GONDWANA_GASNET_ENDPOINT_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

// Creates an endpoint without a segment and in no team. Local. Indices count up from 1.
// capabilities: GEX_EP_CAPABILITY_ bits; flags: GEX_FLAG_HINT_ACCEL_ bits. Returns
// GASNET_ERR_RESOURCE beyond GASNET_MAXEPS and GASNET_ERR_BAD_ARG for invalid capabilities; *ep_p
// is then unchanged. Memory Kinds, gex_EP_Create.
int gex_EP_Create(gex_EP_t* ep_p, gex_Client_t client, gex_EP_Capabilities_t capabilities,
                  gex_Flags_t flags);

// Destroys an unused endpoint that gex_EP_Create made. Local. Its segment stays. flags is 0.
void gex_EP_Destroy(gex_EP_t ep, gex_Flags_t flags);

// Binds a segment to an endpoint, once. Several endpoints may share a segment. Local:
// gex_EP_PublishBoundSegment tells other processes. flags is 0. Returns GASNET_OK or an error code.
int gex_EP_BindSegment(gex_EP_t ep, gex_Segment_t segment, gex_Flags_t flags);

// Publishes the segments of these endpoints of the caller to the members of tm, so that they may be
// targets of communication. Collective over tm. Each caller passes its own list, which may be
// empty. No communication may use the endpoints meanwhile. flags is 0. Returns GASNET_OK or an
// error code.
int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t* eps, size_t num_eps, gex_Flags_t flags);

// Returns the segment of the endpoint named by tm and rank: its address in the owner's process, its
// address here (null: not reachable by loads and stores) and its length in bytes; 0: no known
// segment. Any pointer may be null. Complete when the event is. With GEX_FLAG_IMMEDIATE it is
// complete at once, or returns GEX_EVENT_NO_OP, and handlers may call it too. GASNet-EX 0.19,
// Operations on gex_EP_t.
gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p,
                                       void** localaddr_p, uintptr_t* size_p, gex_Flags_t flags);

// Queries of a local endpoint: its client, flags, segment (GEX_SEGMENT_INVALID: none) and index.
gex_Client_t gex_EP_QueryClient(gex_EP_t ep);
gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep);
gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep);
gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep);

// A pointer of the client, stored in the object; initially null.
void gex_EP_SetCData(gex_EP_t ep, const void* val);
void* gex_EP_QueryCData(gex_EP_t ep);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_ENDPOINT_H
