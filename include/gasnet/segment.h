// Segments: memory that other processes may address. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_SEGMENT_H
#define GONDWANA_GASNET_SEGMENT_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

// Allocates size bytes, a multiple of GASNET_PAGESIZE above 0, and binds them to the team's local
// endpoint. Collective over tm, the primordial team; sizes may differ. No process returns before
// all can address all. Returns GASNET_OK or an error code.
int gex_Segment_Attach(gex_Segment_t* segment_p, gex_TM_t tm, uintptr_t size);

// Makes a segment of length bytes, not bound yet: of the client's memory, which stays mapped until
// the segment is destroyed, or, where address is null, of memory that the library allocates (it may
// round the length up). Local. GASNET_ERR_BAD_ARG where kind, address and length do not go
// together; *segment_p is then unchanged. flags is 0. Memory Kinds, gex_Segment_Create.
//
// The client's memory must be readable and writable. Private memory stays where it is, but the
// pages in which it lies are replaced by shared ones with the same contents, here and when the last
// segment in them is destroyed: no other thread may write to them meanwhile, nor may they be part
// of a stack in use, and peers can reach what else lies in them. Memory that is mapped MAP_SHARED
// stays the client's: peers and the node agent map the same file, which the process must have open
// for reading and writing and may not shorten. A process has at most 48 such segments at a time.
// Symmetric memory of OpenSHMEM becomes a segment as it is. A segment may lie in pages of another
// one, but not partly in them.
int gex_Segment_Create(gex_Segment_t* segment_p, gex_Client_t client, gex_Addr_t address,
                       uintptr_t length, gex_MK_t kind, gex_Flags_t flags);

// Destroys a segment that gex_Segment_Create made and that no operation of any process uses any
// more. Local; memory that the library allocated is freed. flags is 0.
void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t flags);

// Of a local segment: its client, flags, kind, address (of the device, for memory of a device) and
// length in bytes.
gex_Client_t gex_Segment_QueryClient(gex_Segment_t seg);
gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t seg);
gex_MK_t gex_Segment_QueryKind(gex_Segment_t seg);
void* gex_Segment_QueryAddr(gex_Segment_t seg);
uintptr_t gex_Segment_QuerySize(gex_Segment_t seg);

// A pointer of the client's, kept with the object; null at first.
void gex_Segment_SetCData(gex_Segment_t seg, const void* val);
void* gex_Segment_QueryCData(gex_Segment_t seg);

// Deprecated form of gex_EP_QueryBoundSegmentNB. Non-zero where no segment is known; the outputs
// are then unchanged.
int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p, void** localaddr_p,
                           uintptr_t* size_p);

// The largest size in bytes for gex_Segment_Attach: here alone, and in all processes at once.
uintptr_t gasnet_getMaxLocalSegmentSize(void);
uintptr_t gasnet_getMaxGlobalSegmentSize(void);

// A primordial segment, by its address in its own process; length in bytes.
typedef struct {
  void* addr;
  uintptr_t size;
} gasnet_seginfo_t;

// Where a process runs: numbers of its host and of its neighborhood, and what to add to an address
// of its segment to reach it from here (0 where it cannot be reached).
typedef struct {
  gex_Rank_t host;
  gex_Rank_t supernode;
  uintptr_t offset;
} gasnet_nodeinfo_t;

// Fill the first numentries elements, by job rank. GASNET_OK or an error code.
int gasnet_getSegmentInfo(gasnet_seginfo_t* seginfo_table, int numentries);
int gasnet_getNodeInfo(gasnet_nodeinfo_t* nodeinfo_table, int numentries);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_SEGMENT_H
