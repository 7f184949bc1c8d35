// GASNet-EX on Gondwana: collectives, and the older ones of the gasnet_coll_ names.
#ifndef GONDWANA_GASNET_COLL_H
#define GONDWANA_GASNET_COLL_H

#include "gasnetex.h"

#ifdef __cplusplus
extern "C" {
#endif

// All calls here are collective over a team. When the event is complete, the source may be reused
// and the result is available, which tells nothing about other ranks. Several collectives may be in
// flight at once. flags is 0. GASNet-EX 0.19, Collectives.

// Copies nbytes from src of rank root, where src may equal dst, to dst of every rank.
gex_Event_t gex_Coll_BroadcastNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src,
                                 size_t nbytes, gex_Flags_t flags);

// A reduction by the client: for each of count elements, arg2_and_out becomes arg1 op arg2_and_out.
// It must not wait for or call into the library, except as the holder of a gex_HSL_t may.
typedef void (*gex_Coll_ReduceFn_t)(const void* arg1, void* arg2_and_out, size_t count,
                                    const void* cdata);

// Reduces dt_cnt elements of dt_sz bytes, element by element over the ranks, to dst of rank root or
// of every rank. src and dst may be the same, in ReduceToAll then on every rank. op: an operation
// of the type, or GEX_OP_USER or GEX_OP_USER_NC, which call user_op with the caller's own
// user_cdata. GEX_DT_USER allows only these two. Floating-point results may depend on the order in
// which ranks are combined.
gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src,
                                   gex_DT_t dt, size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op, void* user_cdata,
                                   gex_Flags_t flags);
gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t tm, void* dst, const void* src, gex_DT_t dt,
                                   size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op, void* user_cdata,
                                   gex_Flags_t flags);

#ifdef __cplusplus
}  // extern "C"
#endif

#include "gasnet/legacy_collectives.h"

#endif  // GONDWANA_GASNET_COLL_H
