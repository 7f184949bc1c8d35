// GASNet-EX on Gondwana: remote atomic operations.
#ifndef GONDWANA_GASNET_RATOMIC_H
#define GONDWANA_GASNET_RATOMIC_H

#include "gasnetex.h"

#ifdef __cplusplus
extern "C" {
#endif

// An atomic domain: one type and a set of operations, on memory in the bound segments of a team.
// Operations of one domain are atomic with each other only. Between them and other accesses to the
// same memory, complete the operations and pass a barrier.
//
// Creates a domain. Collective over tm, with the same dt, ops (combined GEX_OP_ bits) and flags
// everywhere: one of GEX_FLAG_AD_FAVOR_, a hint. GASNet-EX 0.19, Atomic Domains.
void gex_AD_Create(gex_AD_t* ad_p, gex_TM_t tm, gex_DT_t dt, gex_OP_t ops, gex_Flags_t flags);

// Destroys a domain whose operations are complete at every member. Collective over its team, but
// not a barrier.
void gex_AD_Destroy(gex_AD_t ad);

// The arguments of gex_AD_Create.
gex_Flags_t gex_AD_QueryFlags(gex_AD_t ad);
gex_TM_t gex_AD_QueryTM(gex_AD_t ad);
gex_DT_t gex_AD_QueryDT(gex_AD_t ad);
gex_OP_t gex_AD_QueryOps(gex_AD_t ad);

// A pointer of the client, stored in the object; initially null.
void gex_AD_SetCData(gex_AD_t ad, const void* val);
void* gex_AD_QueryCData(gex_AD_t ad);

#ifdef __cplusplus
}  // extern "C"
#endif

#include "gasnet/generated/atomic_calls.h"

#endif  // GONDWANA_GASNET_RATOMIC_H
