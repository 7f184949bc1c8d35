// Teams: ordered sets of endpoints. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_TEAM_H
#define GONDWANA_GASNET_TEAM_H

#include "../gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

// The first fields of a gex_TM_t object, for the inline code of rma.h. New fields are only added
// after these. GONDWANA_GASNET_ABI counts other changes.
struct gondwana_gex_member {  // where loads and stores reach the bound segment of a member
  uintptr_t owner;            // its address in the owner's process
  uintptr_t size;             // bytes; 0: none, or out of reach, so the library decides
  intptr_t delta;             // offset from an owner's address to ours
  const uint32_t* asleep;     // nonzero: a rank there sleeps until its memory changes
};
struct gondwana_gex_team {
  uint32_t size;
  uint32_t rank;
  const struct gondwana_gex_member* members;  // by team rank; for a pair, by job rank
};

// Queries of the team and the caller's place in it.
gex_Client_t gex_TM_QueryClient(gex_TM_t tm);
gex_EP_t gex_TM_QueryEP(gex_TM_t tm);
gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm);
gex_Rank_t gex_TM_QueryRank(gex_TM_t tm);
gex_Rank_t gex_TM_QuerySize(gex_TM_t tm);

// A pointer of the client, stored in the object; initially null.
void gex_TM_SetCData(gex_TM_t tm, const void* val);
void* gex_TM_QueryCData(gex_TM_t tm);

// Splits a team. Callers with the same color (0 or more) and a nonnull new_tm_p form a team,
// ordered by key and then by their old rank. Collective over parent_tm. The scratch_size bytes at
// scratch_addr, in the bound segment, belong to the library until the team is destroyed. With
// GEX_FLAG_TM_NO_SCRATCH none are needed. With a GEX_FLAG_TM_SCRATCH_SIZE_ flag no team is made,
// and the result is the number of bytes to provide: the same for all members of a new team, 0 for a
// caller in none. GASNet-EX 0.19, Operations on gex_TM_t.
size_t gex_TM_Split(gex_TM_t* new_tm_p, gex_TM_t parent_tm, int color, int key, void* scratch_addr,
                    size_t scratch_size, gex_Flags_t flags);

// Creates a team of the numargs endpoints of args, in that order. 0: the caller is in no team.
// Collective over parent_tm, in which each of their processes has a member. Each caller gets a
// handle for each of its own endpoints, num_new_tms in total. Ranks in args are ranks of parent_tm,
// or of the job with GEX_FLAG_RANK_IS_JOBRANK. One of the GEX_FLAG_TM_*_SCRATCH flags describes the
// contents of scratch_addrs. Sizes are queried as in gex_TM_Split.
size_t gex_TM_Create(gex_TM_t* new_tms, size_t num_new_tms, gex_TM_t parent_tm,
                     gex_EP_Location_t* args, size_t numargs, gex_Addr_t* scratch_addrs,
                     size_t scratch_size, gex_Flags_t flags);

// Creates a team with the same members in the same order. Collective over orig_tm. Scratch: one of
// GEX_FLAG_TM_SYMMETRIC_SCRATCH, _LOCAL_SCRATCH and _NO_SCRATCH. Sizes are queried as in
// gex_TM_Split. Memory Kinds, gex_TM_Dup.
size_t gex_TM_Dup(gex_TM_t* new_tm_p, gex_TM_t orig_tm, gex_Addr_t scratch_addr, size_t scratch_len,
                  gex_Flags_t flags);

// Destroys a team that is quiescent here, or everywhere with GEX_FLAG_GLOBALLY_QUIESCED. Collective
// over tm. Its endpoint stays. If the client provided scratch, the call writes it to *scratch_p,
// unless that is null, and returns nonzero.
int gex_TM_Destroy(gex_TM_t tm, gex_Memvec_t* scratch_p, gex_Flags_t flags);

// Names, for point-to-point calls, the endpoint with that index in the process whose job rank the
// call passes. Local, and nothing to free. Equal arguments give equal results.
gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index);

// Translate between ranks of a team and of the job. GEX_RANK_INVALID: the process has no member.
// Not from handlers.
gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank);
gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t jobrank);
gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t flags);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_TEAM_H
