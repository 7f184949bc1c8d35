// GASNet-EX on Gondwana: the types and constants alone, for headers that only name them.
//
// Nothing here needs the library or a thread mode, and every macro begins with GEX_.
// GASNet-EX 0.19, The gasnet_fwd.h header. Numbers and widths are those of release 2025.8.0, which
// clients take for granted in places.
#ifndef GEX_GONDWANA_FWD_H
#define GEX_GONDWANA_FWD_H

#include <stddef.h>
#include <stdint.h>

// The specification that the gex_ names follow.
#define GEX_SPEC_VERSION_MAJOR 0
#define GEX_SPEC_VERSION_MINOR 19

// Handles. A zero handle is never an object; structures without a definition are the library's.
typedef struct gondwana_gex_client* gex_Client_t;
typedef struct gondwana_gex_endpoint* gex_EP_t;
typedef struct gondwana_gex_segment* gex_Segment_t;
typedef struct gondwana_gex_team* gex_TM_t;
typedef struct gondwana_gex_atomic_domain* gex_AD_t;
typedef struct gondwana_gex_memory_kind* gex_MK_t;
typedef struct gondwana_gex_event* gex_Event_t;
typedef struct gondwana_gex_token* gex_Token_t;
typedef struct gondwana_gex_source_descriptor* gex_AM_SrcDesc_t;

#define GEX_CLIENT_INVALID ((gex_Client_t)0)
#define GEX_EP_INVALID ((gex_EP_t)0)
#define GEX_SEGMENT_INVALID ((gex_Segment_t)0)
#define GEX_TM_INVALID ((gex_TM_t)0)
#define GEX_AD_INVALID ((gex_AD_t)0)
#define GEX_MK_INVALID ((gex_MK_t)0)
#define GEX_MK_HOST ((gex_MK_t)(uintptr_t)1)  // ordinary memory
#define GEX_AM_SRCDESC_NO_OP ((gex_AM_SrcDesc_t)0)

// A position in a team or the size of one. GEX_RANK_INVALID is larger than any rank.
typedef uint32_t gex_Rank_t;
#define GEX_RANK_INVALID 0xffffffffU

// An endpoint of a process: 0 is the primordial one, others count up from 1.
typedef uint16_t gex_EP_Index_t;
#define GEX_EP_INDEX_INVALID 0xffffU

// An endpoint of the job: the process's rank (in which team, the call says) and an index there.
typedef struct {
  gex_Rank_t gex_rank;
  gex_EP_Index_t gex_ep_index;
} gex_EP_Location_t;

// An address, or, where a flag says so, a byte offset from the start of a bound segment.
typedef void* gex_Addr_t;

// A piece of memory; the length is in bytes.
typedef struct {
  void* gex_addr;
  size_t gex_len;
} gex_Memvec_t;

// Active messages: a handler's number, one of its arguments.
typedef uint8_t gex_AM_Index_t;
typedef int32_t gex_AM_Arg_t;
#define GEX_AM_INDEX_BASE 128  // the smallest number a client may ask for

// The widest value that gex_RMA_*Val moves.
typedef uint64_t gex_RMA_Value_t;

// Results in place of an event: already complete; not started (GEX_FLAG_IMMEDIATE alone).
// GEX_EVENT_NO_OP is never tested or waited for. GASNet-EX 0.19, Events.
#define GEX_EVENT_INVALID ((gex_Event_t)0)
#define GEX_EVENT_NO_OP ((gex_Event_t)(uintptr_t)1)

// What a call takes in place of the address of an event, for when its source may be reused:
// NOW: when the call returns; DEFER: when the whole operation is complete; GROUP: when
// gex_NBI_Test or gex_NBI_Wait says so, or the event of the access region.
#define GEX_EVENT_NOW ((gex_Event_t*)(uintptr_t)1)
#define GEX_EVENT_DEFER ((gex_Event_t*)(uintptr_t)2)
#define GEX_EVENT_GROUP ((gex_Event_t*)(uintptr_t)3)

// Categories of implicit operations, and of leaf events: LC is local completion, which is all there
// is of an AM and a part of a PUT.
typedef uint32_t gex_EC_t;
#define GEX_EC_GET 0x04U
#define GEX_EC_PUT 0x03U
#define GEX_EC_AM 0x02U
#define GEX_EC_LC 0x02U
#define GEX_EC_RMW 0x08U
#define GEX_EC_ALL 0xffffffffU

// What gex_Token_Info is asked for, and what it found.
typedef uint32_t gex_TI_t;
#define GEX_TI_SRCRANK 0x01U
#define GEX_TI_EP 0x10U
#define GEX_TI_ENTRY 0x02U
#define GEX_TI_IS_REQ 0x04U
#define GEX_TI_IS_LONG 0x08U
#define GEX_TI_ALL 0x1fU

// What an endpoint is created for.
typedef uint32_t gex_EP_Capabilities_t;
#define GEX_EP_CAPABILITY_RMA 0x01U
#define GEX_EP_CAPABILITY_AM 0x02U
#define GEX_EP_CAPABILITY_VIS 0x04U
#define GEX_EP_CAPABILITY_COLL 0x08U
#define GEX_EP_CAPABILITY_AD 0x10U
#define GEX_EP_CAPABILITY_ALL 0x1fU

// What a progress thread does: receives messages and runs handlers, or moves data only.
#define GEX_THREAD_ROLE_RCV 0x1U
#define GEX_THREAD_ROLE_SND 0x2U

// Flags. Those that one call may take have bits of their own; those of unrelated calls share some.
typedef uint32_t gex_Flags_t;

// Communication. IMMEDIATE: rather do nothing than wait for room; the call says so by a non-zero
// result, GEX_EVENT_NO_OP or GEX_AM_SRCDESC_NO_OP. It polls nothing: poll after a refusal.
#define GEX_FLAG_IMMEDIATE 0x00000001U
// Whether a copy of the source is wanted so that it may be reused sooner. Accepted, no effect.
#define GEX_FLAG_LC_COPY_YES 0x00010000U
#define GEX_FLAG_LC_COPY_NO 0x00020000U
// The peer is not in this process; nor in a process whose memory this one can reach.
#define GEX_FLAG_PEER_NEVER_SELF 0x00008000U
#define GEX_FLAG_PEER_NEVER_NBRHD 0x00004000U
// Where local (SELF) and remote (PEER) addresses lie: unknown, in any segment of the process, in
// the endpoint's bound segment; OFFSET: they are byte offsets into that segment.
#define GEX_FLAG_SELF_SEG_UNKNOWN 0x00000008U
#define GEX_FLAG_SELF_SEG_SOME 0x00000010U
#define GEX_FLAG_SELF_SEG_BOUND 0x00000020U
#define GEX_FLAG_SELF_SEG_OFFSET 0x00000040U
#define GEX_FLAG_PEER_SEG_UNKNOWN 0x00000080U
#define GEX_FLAG_PEER_SEG_SOME 0x00000100U
#define GEX_FLAG_PEER_SEG_BOUND 0x00000200U
#define GEX_FLAG_PEER_SEG_OFFSET 0x00000400U

// Remote atomics: the target is the caller's own endpoint, or in its neighborhood.
#define GEX_FLAG_AD_MY_RANK 0x00000800U
#define GEX_FLAG_AD_MY_NBRHD 0x00001000U
// The initiating thread's memory accesses after (ACQ) and before (REL) stay on their side.
#define GEX_FLAG_AD_ACQ 0x00000004U
#define GEX_FLAG_AD_REL 0x00000002U
// gex_AD_Op and gex_TM_Create: ranks are those of processes in the job, not in the team.
#define GEX_FLAG_RANK_IS_JOBRANK 0x00002000U

// Puts of gasnet_vis.h: local completion is an event of its own.
#define GEX_FLAG_ENABLE_LEAF_LC 0x00000800U

// gex_AM_Max*: the largest least_payload of Prepare with the client's, or the library's, buffer.
#define GEX_FLAG_AM_PREPARE_LEAST_CLIENT 0x00000800U
#define GEX_FLAG_AM_PREPARE_LEAST_ALLOC 0x00001000U

// gex_AD_Create: which targets should be the fast ones.
#define GEX_FLAG_AD_FAVOR_MY_RANK 0x00000001U
#define GEX_FLAG_AD_FAVOR_MY_NBRHD 0x00000002U
#define GEX_FLAG_AD_FAVOR_REMOTE 0x00000004U

// Team creation. SCRATCH_SIZE: create nothing, return how many bytes of scratch to give.
#define GEX_FLAG_TM_SCRATCH_SIZE_MIN 0x00000001U  // deprecated since 0.11
#define GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED 0x00000002U
// How many scratch addresses follow: one for each member, one for each local member, one for all,
// none.
#define GEX_FLAG_TM_GLOBAL_SCRATCH 0x00000004U
#define GEX_FLAG_TM_LOCAL_SCRATCH 0x00000008U
#define GEX_FLAG_TM_SYMMETRIC_SCRATCH 0x00000010U
#define GEX_FLAG_TM_NO_SCRATCH 0x00000020U
// Those addresses are byte offsets into bound segments.
#define GEX_FLAG_SCRATCH_SEG_OFFSET 0x00000040U
// gex_TM_Destroy: the team is quiet at every member already, no barrier is needed.
#define GEX_FLAG_GLOBALLY_QUIESCED 0x00002000U

// gex_EP_RegisterHandlers: how a handler will be called. One of each group.
#define GEX_FLAG_AM_SHORT 0x00000001U
#define GEX_FLAG_AM_MEDIUM 0x00000002U
#define GEX_FLAG_AM_LONG 0x00000004U
#define GEX_FLAG_AM_MEDLONG 0x00000006U
#define GEX_FLAG_AM_REQUEST 0x00000008U
#define GEX_FLAG_AM_REPLY 0x00000010U
#define GEX_FLAG_AM_REQREP 0x00000018U

// gex_Client_Init: GASNet-1 calls will be made; progress threads are started by the client.
#define GEX_FLAG_USES_GASNET1 0x00000001U
#define GEX_FLAG_DEFER_THREADS 0x00000002U

// gex_EP_Create: hints at what hardware could speed up.
#define GEX_FLAG_HINT_ACCEL_AD 0x00000001U
#define GEX_FLAG_HINT_ACCEL_COLL 0x00000002U
#define GEX_FLAG_HINT_ACCEL_ALL 0x00000003U

// Types of atomics and reductions: int32_t ... double, and elements only the client understands.
typedef uint32_t gex_DT_t;
#define GEX_DT_I32 0x01U
#define GEX_DT_U32 0x02U
#define GEX_DT_I64 0x04U
#define GEX_DT_U64 0x08U
#define GEX_DT_FLT 0x10U
#define GEX_DT_DBL 0x20U
#define GEX_DT_USER 0x40U

// Operations of atomics and reductions. GASNet-EX 0.19, Operation codes.
typedef uint32_t gex_OP_t;
#define GEX_OP_ADD 0x00000008U
#define GEX_OP_SUB 0x00000010U
#define GEX_OP_MULT 0x00000020U
#define GEX_OP_MIN 0x00000040U
#define GEX_OP_MAX 0x00000080U
#define GEX_OP_INC 0x00000100U
#define GEX_OP_DEC 0x00000200U
#define GEX_OP_AND 0x00000001U
#define GEX_OP_OR 0x00000002U
#define GEX_OP_XOR 0x00000004U
#define GEX_OP_SET 0x00000400U
#define GEX_OP_CAS 0x00000800U

// The same in the same order, 15 bits up: they also bring back the value that was there.
#define GEX_OP_FADD 0x00040000U
#define GEX_OP_FSUB 0x00080000U
#define GEX_OP_FMULT 0x00100000U
#define GEX_OP_FMIN 0x00200000U
#define GEX_OP_FMAX 0x00400000U
#define GEX_OP_FINC 0x00800000U
#define GEX_OP_FDEC 0x01000000U
#define GEX_OP_FAND 0x00008000U
#define GEX_OP_FOR 0x00010000U
#define GEX_OP_FXOR 0x00020000U
#define GEX_OP_SWAP 0x02000000U
#define GEX_OP_FCAS 0x04000000U

#define GEX_OP_GET 0x08000000U
#define GEX_OP_USER 0x40000000U     // reductions: the client's function, commutative
#define GEX_OP_USER_NC 0x80000000U  // reductions: the client's function, only associative
#define GEX_OP_CSWAP GEX_OP_FCAS    // deprecated

// From an operation to the one that also fetches (SET to SWAP), and back.
#define GEX_OP_TO_FETCHING(op) ((op) << 15)
#define GEX_OP_TO_NONFETCHING(op) ((op) >> 15)

#endif  // GEX_GONDWANA_FWD_H
