// The inline path of remote atomic operations within one node. Part of gasnet_ratomic.h.
#ifndef GONDWANA_GASNET_ATOMICS_H
#define GONDWANA_GASNET_ATOMICS_H

#include "rma.h"

#ifdef __cplusplus
extern "C" {
#endif

// The first fields of a gex_AD_t object. New fields are only added after these, as in team.h.
struct gondwana_gex_atomic_domain {
  const struct gondwana_gex_member* members;  // of its team, by rank
  uint32_t size;                              // of its team
  uint32_t refused;                           // bits of GONDWANA_GEX_ACCEPTED that it lacks
  gex_TM_t team;
};

// A type and operations as one set, so that one test suffices. It contains integer types only, as
// in the inline path. They are above the operations, which are all below bit 28.
#define GONDWANA_GEX_ACCEPTED(type, ops) ((uint32_t)(ops) | (uint32_t)(type) << 28)

// Whether an operation returns the old value: those from GEX_OP_FAND on.
#define GONDWANA_GEX_FETCHES(opcode) ((opcode) >= GEX_OP_FAND)

// The library carries out everything outside the inline path: operations and types without an
// instruction, other addresses and ranks, and errors. Results and operands have the type, whatever
// its sign. Complete on return. Nonzero: GEX_FLAG_IMMEDIATE prevented the start.
int gondwana_gex_call_atomic32(gex_AD_t ad, gex_DT_t type, uint32_t* result, gex_Rank_t rank,
                               void* address, gex_OP_t opcode, uint32_t operand1, uint32_t operand2,
                               gex_Flags_t flags);
int gondwana_gex_call_atomic64(gex_AD_t ad, gex_DT_t type, uint64_t* result, gex_Rank_t rank,
                               void* address, gex_OP_t opcode, uint64_t operand1, uint64_t operand2,
                               gex_Flags_t flags);
int gondwana_gex_atomic_float(gex_AD_t ad, gex_DT_t type, float* result, gex_Rank_t rank,
                              void* address, gex_OP_t opcode, float operand1, float operand2,
                              gex_Flags_t flags);
int gondwana_gex_atomic_double(gex_AD_t ad, gex_DT_t type, double* result, gex_Rank_t rank,
                               void* address, gex_OP_t opcode, double operand1, double operand2,
                               gex_Flags_t flags);

// Operations by the instruction that implements them, each with its fetching form.
#define GONDWANA_GEX_BOTH(ops) ((ops) | GEX_OP_TO_FETCHING(ops))
#define GONDWANA_GEX_ADDS GONDWANA_GEX_BOTH(GEX_OP_ADD | GEX_OP_SUB | GEX_OP_INC | GEX_OP_DEC)
#define GONDWANA_GEX_INLINE_OPS     \
  (GEX_OP_GET | GONDWANA_GEX_ADDS | \
   GONDWANA_GEX_BOTH(GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR | GEX_OP_SET | GEX_OP_CAS))

// The member whose segment contains the word, or null: the library must decide. The opcode must be
// a constant, so that the compiler keeps only one operation.
static inline const struct gondwana_gex_member* gondwana_gex_reach_word(
    gex_AD_t ad, gex_DT_t type, gex_Rank_t rank, const void* address, unsigned log2_bytes,
    gex_OP_t opcode, gex_Flags_t flags) {
  const gex_Flags_t others =
      GEX_FLAG_SELF_SEG_OFFSET | GEX_FLAG_PEER_SEG_OFFSET | GEX_FLAG_RANK_IS_JOBRANK;
  const struct gondwana_gex_member* member;
  uintptr_t offset;
  uintptr_t word;
  if (GONDWANA_GASNET_CHECKS || (flags & others)) return NULL;
  if (!(opcode & GONDWANA_GEX_INLINE_OPS) || (opcode & (opcode - 1))) return NULL;
  if (ad->refused & GONDWANA_GEX_ACCEPTED(type, opcode) || rank >= ad->size) return NULL;
  member = &ad->members[rank];
  offset = (uintptr_t)address - member->owner;
  // The index of the word in the segment. The low bits of a misaligned offset move to the top,
  // where they make it larger than any valid index, so one comparison checks both.
  word = offset >> log2_bytes | offset << (sizeof(offset) * 8 - log2_bytes);
  return word < member->size >> log2_bytes ? member : NULL;
}

// The operand of an addition, for each of GONDWANA_GEX_ADDS.
static inline uint64_t gondwana_gex_addend(gex_OP_t opcode, uint64_t operand) {
  if (opcode & GONDWANA_GEX_BOTH(GEX_OP_INC)) return 1;
  if (opcode & GONDWANA_GEX_BOTH(GEX_OP_DEC)) return (uint64_t)0 - 1;
  return opcode & GONDWANA_GEX_BOTH(GEX_OP_SUB) ? 0 - operand : operand;
}

// Returns the old value. All operations are sequentially consistent, which satisfies
// GEX_FLAG_AD_ACQ and _REL.
static inline uint32_t gondwana_gex_apply32(gondwana_gex_word32* word, gex_OP_t opcode,
                                            uint32_t first, uint32_t second) {
  const uint32_t addend = (uint32_t)gondwana_gex_addend(opcode, first);
  if (opcode & GONDWANA_GEX_ADDS) return __atomic_fetch_add(word, addend, __ATOMIC_SEQ_CST);
  if (opcode & GONDWANA_GEX_BOTH(GEX_OP_AND))
    return __atomic_fetch_and(word, first, __ATOMIC_SEQ_CST);
  if (opcode & GONDWANA_GEX_BOTH(GEX_OP_OR))
    return __atomic_fetch_or(word, first, __ATOMIC_SEQ_CST);
  if (opcode & GONDWANA_GEX_BOTH(GEX_OP_XOR))
    return __atomic_fetch_xor(word, first, __ATOMIC_SEQ_CST);
  if (opcode & GONDWANA_GEX_BOTH(GEX_OP_SET))
    return __atomic_exchange_n(word, first, __ATOMIC_SEQ_CST);
  if (!(opcode & GONDWANA_GEX_BOTH(GEX_OP_CAS))) return __atomic_load_n(word, __ATOMIC_SEQ_CST);
  (void)__atomic_compare_exchange_n(word, &first, second, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return first;
}
static inline uint64_t gondwana_gex_apply64(gondwana_gex_word64* word, gex_OP_t opcode,
                                            uint64_t first, uint64_t second) {
  const uint64_t addend = gondwana_gex_addend(opcode, first);
  if (opcode & GONDWANA_GEX_ADDS) return __atomic_fetch_add(word, addend, __ATOMIC_SEQ_CST);
  if (opcode & GONDWANA_GEX_BOTH(GEX_OP_AND))
    return __atomic_fetch_and(word, first, __ATOMIC_SEQ_CST);
  if (opcode & GONDWANA_GEX_BOTH(GEX_OP_OR))
    return __atomic_fetch_or(word, first, __ATOMIC_SEQ_CST);
  if (opcode & GONDWANA_GEX_BOTH(GEX_OP_XOR))
    return __atomic_fetch_xor(word, first, __ATOMIC_SEQ_CST);
  if (opcode & GONDWANA_GEX_BOTH(GEX_OP_SET))
    return __atomic_exchange_n(word, first, __ATOMIC_SEQ_CST);
  if (!(opcode & GONDWANA_GEX_BOTH(GEX_OP_CAS))) return __atomic_load_n(word, __ATOMIC_SEQ_CST);
  (void)__atomic_compare_exchange_n(word, &first, second, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return first;
}

// Wakes programs that wait for a word that only atomics change.
static inline void gondwana_gex_after_atomic(gex_AD_t ad, gex_Rank_t rank, const uint32_t* asleep) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(__atomic_load_n(asleep, __ATOMIC_RELAXED) != 0, 0)) {
    gondwana_gex_wake(ad->team, rank);
  }
}

static inline int gondwana_gex_atomic32(gex_AD_t ad, gex_DT_t type, uint32_t* result,
                                        gex_Rank_t rank, void* address, gex_OP_t opcode,
                                        uint32_t operand1, uint32_t operand2, gex_Flags_t flags) {
  const struct gondwana_gex_member* member = NULL;
  const uint32_t* asleep;
  uint32_t old;
  if (__builtin_constant_p(opcode))
    member = gondwana_gex_reach_word(ad, type, rank, address, 2, opcode, flags);
  if (__builtin_expect(!member, 0))
    return gondwana_gex_call_atomic32(ad, type, result, rank, address, opcode, operand1, operand2,
                                      flags);
  asleep = member->asleep;  // before the operation, for which later loads wait
  old = gondwana_gex_apply32((gondwana_gex_word32*)(void*)gondwana_gex_ours(member, address),
                             opcode, operand1, operand2);
  if (GONDWANA_GEX_FETCHES(opcode)) *result = old;
  if (opcode != GEX_OP_GET) gondwana_gex_after_atomic(ad, rank, asleep);
  return 0;
}
static inline int gondwana_gex_atomic64(gex_AD_t ad, gex_DT_t type, uint64_t* result,
                                        gex_Rank_t rank, void* address, gex_OP_t opcode,
                                        uint64_t operand1, uint64_t operand2, gex_Flags_t flags) {
  const struct gondwana_gex_member* member = NULL;
  const uint32_t* asleep;
  uint64_t old;
  if (__builtin_constant_p(opcode))
    member = gondwana_gex_reach_word(ad, type, rank, address, 3, opcode, flags);
  if (__builtin_expect(!member, 0))
    return gondwana_gex_call_atomic64(ad, type, result, rank, address, opcode, operand1, operand2,
                                      flags);
  asleep = member->asleep;
  old = gondwana_gex_apply64((gondwana_gex_word64*)(void*)gondwana_gex_ours(member, address),
                             opcode, operand1, operand2);
  if (GONDWANA_GEX_FETCHES(opcode)) *result = old;
  if (opcode != GEX_OP_GET) gondwana_gex_after_atomic(ad, rank, asleep);
  return 0;
}

static inline gex_Event_t gondwana_gex_event_of(int refused) {
  return refused ? GEX_EVENT_NO_OP : GEX_EVENT_INVALID;
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_ATOMICS_H
