// GASNet-EX on Gondwana: types and constants only, for headers that need no more.
//
// Nothing here needs the library or a thread mode, and every macro begins with GEX_. GASNet-EX
// 0.19, The gasnet_fwd.h header. Numbers and widths are those of release 2025.8.0, on which some
// clients rely.
#ifndef GEX_GONDWANA_FWD_H
#define GEX_GONDWANA_FWD_H

#include <stddef.h>
#include <stdint.h>

// The version of the specification for gex_ names.
#define GEX_SPEC_VERSION_MAJOR 0
#define GEX_SPEC_VERSION_MINOR 19

// Handles. A zero handle is never an object. Structures without a definition belong to the library.
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
#define GEX_MK_HOST ((gex_MK_t)(uintptr_t)1)  // host memory
#define GEX_AM_SRCDESC_NO_OP ((gex_AM_SrcDesc_t)0)

// The rank of a member, or the size of a team. GEX_RANK_INVALID is larger than any rank.
typedef uint32_t gex_Rank_t;
#define GEX_RANK_INVALID 0xffffffffU

// An endpoint of a process: 0 is the primordial one, others count up from 1.
typedef uint16_t gex_EP_Index_t;
#define GEX_EP_INDEX_INVALID 0xffffU

// An endpoint of the job: the process's rank (the call determines in which team) and an index
// there.
typedef struct {
  gex_Rank_t gex_rank;
  gex_EP_Index_t gex_ep_index;
} gex_EP_Location_t;

// An address or, if a flag says so, a byte offset from the start of a bound segment.
typedef void* gex_Addr_t;

// A piece of memory. The length is in bytes.
typedef struct {
  void* gex_addr;
  size_t gex_len;
} gex_Memvec_t;

// Active messages: the number of a handler, and one of its arguments.
typedef uint8_t gex_AM_Index_t;
typedef int32_t gex_AM_Arg_t;
#define GEX_AM_INDEX_BASE 128  // the smallest number for clients

// The widest value of gex_RMA_*Val.
typedef uint64_t gex_RMA_Value_t;

// Results instead of an event: already complete; not started (only with GEX_FLAG_IMMEDIATE). Do not
// test GEX_EVENT_NO_OP or wait for it. GASNet-EX 0.19, Events.
#define GEX_EVENT_INVALID ((gex_Event_t)0)
#define GEX_EVENT_NO_OP ((gex_Event_t)(uintptr_t)1)

// Arguments instead of the address of an event. They determine when the source may be reused. NOW:
// when the call returns. DEFER: when the whole operation is complete. GROUP: when gex_NBI_Test or
// gex_NBI_Wait reports it, or the event of the access region.
#define GEX_EVENT_NOW ((gex_Event_t*)(uintptr_t)1)
#define GEX_EVENT_DEFER ((gex_Event_t*)(uintptr_t)2)
#define GEX_EVENT_GROUP ((gex_Event_t*)(uintptr_t)3)

// Categories of implicit operations, and of leaf events. LC is local completion, which is the only
// completion of an AM and a part of a PUT.
typedef uint32_t gex_EC_t;
#define GEX_EC_GET 0x04U
#define GEX_EC_PUT 0x03U
#define GEX_EC_AM 0x02U
#define GEX_EC_LC 0x02U
#define GEX_EC_RMW 0x08U
#define GEX_EC_ALL 0xffffffffU

// The fields of gex_Token_Info, requested and found.
typedef uint32_t gex_TI_t;
#define GEX_TI_SRCRANK 0x01U
#define GEX_TI_EP 0x10U
#define GEX_TI_ENTRY 0x02U
#define GEX_TI_IS_REQ 0x04U
#define GEX_TI_IS_LONG 0x08U
#define GEX_TI_ALL 0x1fU

// The capabilities of an endpoint.
typedef uint32_t gex_EP_Capabilities_t;
#define GEX_EP_CAPABILITY_RMA 0x01U
#define GEX_EP_CAPABILITY_AM 0x02U
#define GEX_EP_CAPABILITY_VIS 0x04U
#define GEX_EP_CAPABILITY_COLL 0x08U
#define GEX_EP_CAPABILITY_AD 0x10U
#define GEX_EP_CAPABILITY_ALL 0x1fU

// The roles of a progress thread: receives messages and runs handlers, or only moves data.
#define GEX_THREAD_ROLE_RCV 0x1U
#define GEX_THREAD_ROLE_SND 0x2U

// Flags. Flags that one call may take have different bits. Those of unrelated calls share some.
typedef uint32_t gex_Flags_t;

// Communication. IMMEDIATE: return without an effect instead of waiting for queue space. The call
// reports that by a nonzero result, GEX_EVENT_NO_OP or GEX_AM_SRCDESC_NO_OP. It does not poll, so
// poll afterwards.
#define GEX_FLAG_IMMEDIATE 0x00000001U
// Whether to copy the source so that it may be reused sooner. Accepted, no effect.
#define GEX_FLAG_LC_COPY_YES 0x00010000U
#define GEX_FLAG_LC_COPY_NO 0x00020000U
// The peer is not in this process, or not in a process whose memory this one can reach.
#define GEX_FLAG_PEER_NEVER_SELF 0x00008000U
#define GEX_FLAG_PEER_NEVER_NBRHD 0x00004000U
// Whether local (SELF) and remote (PEER) addresses are unknown, in any segment of the process, or
// in the endpoint's bound segment. OFFSET: they are byte offsets into that segment.
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
// Memory accesses of the initiating thread after (ACQ) and before (REL) the operation are not
// reordered across it.
#define GEX_FLAG_AD_ACQ 0x00000004U
#define GEX_FLAG_AD_REL 0x00000002U
// gex_AD_Op and gex_TM_Create: ranks are those of processes in the job, not in the team.
#define GEX_FLAG_RANK_IS_JOBRANK 0x00002000U

// Puts of gasnet_vis.h: local completion has its own event.
#define GEX_FLAG_ENABLE_LEAF_LC 0x00000800U

// gex_AM_Max*: the largest least_payload of Prepare with the client's, or the library's, buffer.
#define GEX_FLAG_AM_PREPARE_LEAST_CLIENT 0x00000800U
#define GEX_FLAG_AM_PREPARE_LEAST_ALLOC 0x00001000U

// gex_AD_Create: which targets to favor.
#define GEX_FLAG_AD_FAVOR_MY_RANK 0x00000001U
#define GEX_FLAG_AD_FAVOR_MY_NBRHD 0x00000002U
#define GEX_FLAG_AD_FAVOR_REMOTE 0x00000004U

// Team creation. SCRATCH_SIZE: creates nothing, and returns the number of scratch bytes to provide.
#define GEX_FLAG_TM_SCRATCH_SIZE_MIN 0x00000001U  // deprecated since 0.11
#define GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED 0x00000002U
// The number of scratch addresses: one for each member, one for each local member, one for all, or
// none.
#define GEX_FLAG_TM_GLOBAL_SCRATCH 0x00000004U
#define GEX_FLAG_TM_LOCAL_SCRATCH 0x00000008U
#define GEX_FLAG_TM_SYMMETRIC_SCRATCH 0x00000010U
#define GEX_FLAG_TM_NO_SCRATCH 0x00000020U
// These addresses are byte offsets into bound segments.
#define GEX_FLAG_SCRATCH_SEG_OFFSET 0x00000040U
// gex_TM_Destroy: the team is already quiescent at every member, so no barrier is needed.
#define GEX_FLAG_GLOBALLY_QUIESCED 0x00002000U

// gex_EP_RegisterHandlers: how a handler is called. One of each group.
#define GEX_FLAG_AM_SHORT 0x00000001U
#define GEX_FLAG_AM_MEDIUM 0x00000002U
#define GEX_FLAG_AM_LONG 0x00000004U
#define GEX_FLAG_AM_MEDLONG 0x00000006U
#define GEX_FLAG_AM_REQUEST 0x00000008U
#define GEX_FLAG_AM_REPLY 0x00000010U
#define GEX_FLAG_AM_REQREP 0x00000018U

// gex_Client_Init: the client will make GASNet-1 calls; the client starts the progress threads.
#define GEX_FLAG_USES_GASNET1 0x00000001U
#define GEX_FLAG_DEFER_THREADS 0x00000002U

// gex_EP_Create: hints at operations that hardware could accelerate.
#define GEX_FLAG_HINT_ACCEL_AD 0x00000001U
#define GEX_FLAG_HINT_ACCEL_COLL 0x00000002U
#define GEX_FLAG_HINT_ACCEL_ALL 0x00000003U

// Types of atomics and reductions: int32_t ... double, and elements that only the client
// understands.
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

// The fetching operations, in the same order, 15 bits higher. They also return the old value.
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
#define GEX_OP_USER 0x40000000U     // reductions: client function, commutative
#define GEX_OP_USER_NC 0x80000000U  // reductions: client function, only associative
#define GEX_OP_CSWAP GEX_OP_FCAS    // deprecated

// Convert an operation to its fetching form (SET to SWAP), and back.
#define GEX_OP_TO_FETCHING(op) ((op) << 15)
#define GEX_OP_TO_NONFETCHING(op) ((op) >> 15)

#endif  // GEX_GONDWANA_FWD_H
