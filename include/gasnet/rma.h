// Contiguous puts and gets, and the inline path of those within one node. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_RMA_H
#define GONDWANA_GASNET_RMA_H

#include <string.h>

#include "../gasnet_fwd.h"
#include "configuration.h"
#include "team.h"

#ifdef __cplusplus
extern "C" {
#endif

// Preprocessor's copy of sizeof(gex_RMA_Value_t).
#define SIZEOF_GEX_RMA_VALUE_T 8

// What the inline path cannot reach. These two are complete when they return: 0, or non-zero where
// GEX_FLAG_IMMEDIATE kept them from starting.
int gondwana_gex_put(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                     gex_Flags_t flags);
int gondwana_gex_get(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src, size_t nbytes,
                     gex_Flags_t flags);

// The same for callers that do not wait: as gex_RMA_PutNBI and the others below say.
int gondwana_gex_put_nbi(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                         gex_Event_t* lc_opt, gex_Flags_t flags);
gex_Event_t gondwana_gex_put_nb(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                                size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags);
int gondwana_gex_get_nbi(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src, size_t nbytes,
                         gex_Flags_t flags);
gex_Event_t gondwana_gex_get_nb(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src,
                                size_t nbytes, gex_Flags_t flags);

// Wakes the member that sleeps until its memory changes.
void gondwana_gex_wake(gex_TM_t tm, gex_Rank_t rank);

// From this many bytes on the library copies: it knows of stores that go past the caches.
#define GONDWANA_GEX_LARGE ((size_t)1 << 20)

// The member whose segment holds all of [address, address + nbytes), not empty, or null: ask the
// library. The two comparisons hold for every address and length: neither side can wrap around.
static inline const struct gondwana_gex_member* gondwana_gex_reach(gex_TM_t tm, gex_Rank_t rank,
                                                                   const void* address,
                                                                   size_t nbytes,
                                                                   gex_Flags_t flags) {
  const struct gondwana_gex_member* member;
  uintptr_t offset;
  if (GONDWANA_GASNET_CHECKS) return NULL;
  if (flags & (GEX_FLAG_SELF_SEG_OFFSET | GEX_FLAG_PEER_SEG_OFFSET)) return NULL;
  if (nbytes - 1 >= GONDWANA_GEX_LARGE - 1 || rank >= tm->size) return NULL;  // also 0
  member = &tm->members[rank];
  offset = (uintptr_t)address - member->owner;
  return offset < member->size && nbytes <= member->size - offset ? member : NULL;
}

static inline char* gondwana_gex_ours(const struct gondwana_gex_member* member,
                                      const void* address) {
  return (char*)((uintptr_t)address + (uintptr_t)member->delta);
}

typedef uint16_t __attribute__((__may_alias__)) gondwana_gex_word16;
typedef uint32_t __attribute__((__may_alias__)) gondwana_gex_word32;
typedef uint64_t __attribute__((__may_alias__)) gondwana_gex_word64;

// An aligned word of a size known here is one load or one store of the shared side, so that nobody
// sees half of it.
#define GONDWANA_GEX_IS_WORD(address, nbytes)                                           \
  (__builtin_constant_p(nbytes) && ((nbytes) == 2 || (nbytes) == 4 || (nbytes) == 8) && \
   ((uintptr_t)(address) & ((nbytes) - 1)) == 0)

static inline void gondwana_gex_copy_out(char* to, const void* from, size_t nbytes) {
  if (GONDWANA_GEX_IS_WORD(to, nbytes)) {
    gondwana_gex_word64 value64;
    gondwana_gex_word32 value32;
    gondwana_gex_word16 value16;
    switch (nbytes) {
      case 8:
        memcpy(&value64, from, 8);
        __atomic_store_n((gondwana_gex_word64*)(void*)to, value64, __ATOMIC_RELAXED);
        return;
      case 4:
        memcpy(&value32, from, 4);
        __atomic_store_n((gondwana_gex_word32*)(void*)to, value32, __ATOMIC_RELAXED);
        return;
      default:
        memcpy(&value16, from, 2);
        __atomic_store_n((gondwana_gex_word16*)(void*)to, value16, __ATOMIC_RELAXED);
        return;
    }
  }
  memcpy(to, from, nbytes);
}

static inline void gondwana_gex_copy_in(void* to, const char* from, size_t nbytes) {
  if (GONDWANA_GEX_IS_WORD(from, nbytes)) {
    gondwana_gex_word64 value64;
    gondwana_gex_word32 value32;
    gondwana_gex_word16 value16;
    switch (nbytes) {
      case 8:
        value64 = __atomic_load_n((const gondwana_gex_word64*)(const void*)from, __ATOMIC_RELAXED);
        memcpy(to, &value64, 8);
        return;
      case 4:
        value32 = __atomic_load_n((const gondwana_gex_word32*)(const void*)from, __ATOMIC_RELAXED);
        memcpy(to, &value32, 4);
        return;
      default:
        value16 = __atomic_load_n((const gondwana_gex_word16*)(const void*)from, __ATOMIC_RELAXED);
        memcpy(to, &value16, 2);
        return;
    }
  }
  memcpy(to, from, nbytes);
}

// What a get brought is not older than what is loaded after it. Costs nothing on x86.
static inline void gondwana_gex_after_get(void) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

// The put is complete: nothing that is stored after it is seen before it, which costs nothing on
// x86. And what a put owes to a member that sleeps. There is no full fence between the put's store
// and this load: a rank that goes to sleep makes sure that one of the two sides sees the other.
static inline void gondwana_gex_after_put(gex_TM_t tm, gex_Rank_t rank,
                                          const struct gondwana_gex_member* member) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(__atomic_load_n(member->asleep, __ATOMIC_RELAXED) != 0, 0)) {
    gondwana_gex_wake(tm, rank);
  }
}

// An operation that is complete has no leaf left to wait for.
static inline void gondwana_gex_leaf_is_done(gex_Event_t* lc_opt) {
  if ((uintptr_t)lc_opt > (uintptr_t)GEX_EVENT_GROUP) *lc_opt = GEX_EVENT_INVALID;
}

// Puts nbytes from src to dest, in the bound segment of the endpoint named by tm and rank. The
// source may be reused, and the data is there, when the call returns. NB: when the event is
// complete, NBI: when gex_NBI_Wait(GEX_EC_PUT) has returned; lc_opt says when the source may be
// reused. Non-zero, or GEX_EVENT_NO_OP: GEX_FLAG_IMMEDIATE kept it from starting. The two sides may
// not overlap. GASNet-EX 0.19, Extended API.
static inline int gex_RMA_PutBlocking(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                                      size_t nbytes, gex_Flags_t flags) {
  const struct gondwana_gex_member* member = gondwana_gex_reach(tm, rank, dest, nbytes, flags);
  if (!member) return gondwana_gex_put(tm, rank, dest, src, nbytes, flags);
  gondwana_gex_copy_out(gondwana_gex_ours(member, dest), src, nbytes);
  gondwana_gex_after_put(tm, rank, member);
  return 0;
}

static inline int gex_RMA_PutNBI(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                                 size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags) {
  const struct gondwana_gex_member* member = gondwana_gex_reach(tm, rank, dest, nbytes, flags);
  if (!member) return gondwana_gex_put_nbi(tm, rank, dest, src, nbytes, lc_opt, flags);
  gondwana_gex_copy_out(gondwana_gex_ours(member, dest), src, nbytes);
  gondwana_gex_after_put(tm, rank, member);
  gondwana_gex_leaf_is_done(lc_opt);
  return 0;
}

static inline gex_Event_t gex_RMA_PutNB(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                                        size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags) {
  const struct gondwana_gex_member* member = gondwana_gex_reach(tm, rank, dest, nbytes, flags);
  if (!member) return gondwana_gex_put_nb(tm, rank, dest, src, nbytes, lc_opt, flags);
  gondwana_gex_copy_out(gondwana_gex_ours(member, dest), src, nbytes);
  gondwana_gex_after_put(tm, rank, member);
  gondwana_gex_leaf_is_done(lc_opt);
  return GEX_EVENT_INVALID;
}

// Gets nbytes from src, in the bound segment of the endpoint named by tm and rank, to dest, where
// they are when the call returns, the event is complete, or gex_NBI_Wait(GEX_EC_GET) has returned.
static inline int gex_RMA_GetBlocking(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src,
                                      size_t nbytes, gex_Flags_t flags) {
  const struct gondwana_gex_member* member = gondwana_gex_reach(tm, rank, src, nbytes, flags);
  if (!member) return gondwana_gex_get(tm, dest, rank, src, nbytes, flags);
  gondwana_gex_copy_in(dest, gondwana_gex_ours(member, src), nbytes);
  gondwana_gex_after_get();
  return 0;
}

static inline int gex_RMA_GetNBI(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src, size_t nbytes,
                                 gex_Flags_t flags) {
  const struct gondwana_gex_member* member = gondwana_gex_reach(tm, rank, src, nbytes, flags);
  if (!member) return gondwana_gex_get_nbi(tm, dest, rank, src, nbytes, flags);
  gondwana_gex_copy_in(dest, gondwana_gex_ours(member, src), nbytes);
  gondwana_gex_after_get();
  return 0;
}

static inline gex_Event_t gex_RMA_GetNB(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src,
                                        size_t nbytes, gex_Flags_t flags) {
  const struct gondwana_gex_member* member = gondwana_gex_reach(tm, rank, src, nbytes, flags);
  if (!member) return gondwana_gex_get_nb(tm, dest, rank, src, nbytes, flags);
  gondwana_gex_copy_in(dest, gondwana_gex_ours(member, src), nbytes);
  gondwana_gex_after_get();
  return GEX_EVENT_INVALID;
}

// The low nbytes, 1 to 8, of a value lie at its end where the high byte comes first. It is ordinary
// memory, whatever memory the local endpoint is bound to.
#define GONDWANA_GEX_OF_VALUE(flags) \
  (((flags) & ~GEX_FLAG_SELF_SEG_OFFSET) | GEX_FLAG_SELF_SEG_UNKNOWN)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define GONDWANA_GEX_LOW_BYTES(value, nbytes) ((char*)&(value) + sizeof(value) - (nbytes))
#else
#define GONDWANA_GEX_LOW_BYTES(value, nbytes) ((char*)&(value))
#endif

// The same with the value itself in place of a buffer; nbytes is 1 to 8. A get fills with zeros.
static inline gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t tm, gex_Rank_t rank, void* src,
                                                     size_t nbytes, gex_Flags_t flags) {
  gex_RMA_Value_t value = 0;
  (void)gex_RMA_GetBlocking(tm, GONDWANA_GEX_LOW_BYTES(value, nbytes), rank, src, nbytes,
                            GONDWANA_GEX_OF_VALUE(flags & ~GEX_FLAG_IMMEDIATE));
  return value;
}

static inline int gex_RMA_PutBlockingVal(gex_TM_t tm, gex_Rank_t rank, void* dest,
                                         gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags) {
  return gex_RMA_PutBlocking(tm, rank, dest, GONDWANA_GEX_LOW_BYTES(value, nbytes), nbytes,
                             GONDWANA_GEX_OF_VALUE(flags));
}

static inline int gex_RMA_PutNBIVal(gex_TM_t tm, gex_Rank_t rank, void* dest, gex_RMA_Value_t value,
                                    size_t nbytes, gex_Flags_t flags) {
  return gex_RMA_PutNBI(tm, rank, dest, GONDWANA_GEX_LOW_BYTES(value, nbytes), nbytes,
                        GEX_EVENT_NOW, GONDWANA_GEX_OF_VALUE(flags));
}

static inline gex_Event_t gex_RMA_PutNBVal(gex_TM_t tm, gex_Rank_t rank, void* dest,
                                           gex_RMA_Value_t value, size_t nbytes,
                                           gex_Flags_t flags) {
  return gex_RMA_PutNB(tm, rank, dest, GONDWANA_GEX_LOW_BYTES(value, nbytes), nbytes, GEX_EVENT_NOW,
                       GONDWANA_GEX_OF_VALUE(flags));
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GONDWANA_GASNET_RMA_H
