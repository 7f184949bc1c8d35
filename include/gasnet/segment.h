// Segments: memory that other processes may address. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_SEGMENT_H
#define GONDWANA_GASNET_SEGMENT_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

// Allocates size bytes, a multiple of GASNET_PAGESIZE above 0, and binds them to the team's local
// endpoint. Collective over tm, the primordial team. Sizes may differ. No process returns before
// all can address all. Returns GASNET_OK or an error code.
int gex_Segment_Attach(gex_Segment_t* segment_p, gex_TM_t tm, uintptr_t size);

// Creates an unbound segment of length bytes. It consists of the client's memory, which must stay
// mapped until the segment is destroyed, or, if address is null, of memory that the library
// allocates (it may round the length up). Local. Returns GASNET_ERR_BAD_ARG if kind, address and
// length do not match; *segment_p is then unchanged. flags is 0. Memory Kinds, gex_Segment_Create.
//
// The client's memory must be readable and writable. Private memory keeps its address, but its
// pages are replaced by shared ones with the same contents, both now and when the last segment in
// them is destroyed. During that time no other thread may write to them, and they must not be part
// of a stack in use. Peers can also reach all other data in these pages. Memory mapped with
// MAP_SHARED stays the client's: peers and the node agent map the same file. The process must have
// it open for reading and writing, and must not shorten it. A process can have at most 48 of these
// segments at a time. OpenSHMEM symmetric memory becomes a segment without changes. A segment may
// be within the pages of another one, but not partly.
int gex_Segment_Create(gex_Segment_t* segment_p, gex_Client_t client, gex_Addr_t address,
                       uintptr_t length, gex_MK_t kind, gex_Flags_t flags);

// Destroys a segment that gex_Segment_Create made. No operation of any process may use it any more.
// Local. Frees memory that the library allocated. flags is 0.
void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t flags);

// Queries of a local segment: its client, flags, kind, address (on the device, for device memory)
// and length in bytes.
gex_Client_t gex_Segment_QueryClient(gex_Segment_t seg);
gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t seg);
gex_MK_t gex_Segment_QueryKind(gex_Segment_t seg);
void* gex_Segment_QueryAddr(gex_Segment_t seg);
uintptr_t gex_Segment_QuerySize(gex_Segment_t seg);

// A pointer of the client, stored in the object; initially null.
void gex_Segment_SetCData(gex_Segment_t seg, const void* val);
void* gex_Segment_QueryCData(gex_Segment_t seg);

// Deprecated form of gex_EP_QueryBoundSegmentNB. Returns nonzero if no segment is known; the
// outputs are then unchanged.
int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p, void** localaddr_p,
                           uintptr_t* size_p);

// The largest size in bytes for gex_Segment_Attach: in this process alone, and in all processes at
// once.
uintptr_t gasnet_getMaxLocalSegmentSize(void);
uintptr_t gasnet_getMaxGlobalSegmentSize(void);

// A primordial segment, by its address in the owner's process. The length is in bytes.
typedef struct {
  void* addr;
  uintptr_t size;
} gasnet_seginfo_t;

// The location of a process: numbers of its host and neighborhood, and the offset from an address
// in its segment to the address here (0 if unreachable).
typedef struct {
  gex_Rank_t host;
  gex_Rank_t supernode;
  uintptr_t offset;
} gasnet_nodeinfo_t;

// Fill the first numentries elements, by job rank. Return GASNET_OK or an error code.
int gasnet_getSegmentInfo(gasnet_seginfo_t* seginfo_table, int numentries);
int gasnet_getNodeInfo(gasnet_nodeinfo_t* nodeinfo_table, int numentries);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_SEGMENT_H
