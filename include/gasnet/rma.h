// Contiguous puts and gets, and their inline path within one node. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_RMA_H
#define GONDWANA_GASNET_RMA_H

#include <string.h>

#include "../gasnet_fwd.h"
#include "configuration.h"
#include "team.h"

#ifdef __cplusplus
extern "C" {
#endif

// The value of sizeof(gex_RMA_Value_t) for the preprocessor.
#define SIZEOF_GEX_RMA_VALUE_T 8

// The library's part, outside the inline path. These two are complete on return. Nonzero:
// GEX_FLAG_IMMEDIATE prevented the start.
int gondwana_gex_put(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                     gex_Flags_t flags);
int gondwana_gex_get(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src, size_t nbytes,
                     gex_Flags_t flags);

// The nonblocking forms. See gex_RMA_PutNBI and the others below.
int gondwana_gex_put_nbi(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                         gex_Event_t* lc_opt, gex_Flags_t flags);
gex_Event_t gondwana_gex_put_nb(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                                size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags);
int gondwana_gex_get_nbi(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src, size_t nbytes,
                         gex_Flags_t flags);
gex_Event_t gondwana_gex_get_nb(gex_TM_t tm, void* dest, gex_Rank_t rank, const void* src,
                                size_t nbytes, gex_Flags_t flags);

// Wakes the member if it sleeps until its memory changes.
void gondwana_gex_wake(gex_TM_t tm, gex_Rank_t rank);

// From this number of bytes on the library copies, because it has stores that bypass the caches.
#define GONDWANA_GEX_LARGE ((size_t)1 << 20)

// The member whose segment contains all of [address, address + nbytes), which must not be empty, or
// null: the library must decide. The two comparisons are valid for every address and length,
// because neither side can wrap around.
static inline const struct gondwana_gex_member* gondwana_gex_reach(gex_TM_t tm, gex_Rank_t rank,
                                                                   const void* address,
                                                                   size_t nbytes,
                                                                   gex_Flags_t flags) {
  const struct gondwana_gex_member* member;
  uintptr_t offset;
  if (GONDWANA_GASNET_CHECKS) return NULL;
  if (flags & (GEX_FLAG_SELF_SEG_OFFSET | GEX_FLAG_PEER_SEG_OFFSET)) return NULL;
  if (nbytes - 1 >= GONDWANA_GEX_LARGE - 1 || rank >= tm->size) return NULL;  // also excludes 0
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

// An aligned word of a size known here is one load or one store at the shared side, so no process
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

// Loads after the get are not older than its data. Costs nothing on x86.
static inline void gondwana_gex_after_get(void) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

// Completes a put: later stores are not visible before it, which costs nothing on x86. Also wakes a
// sleeping member. No full fence is needed between the put's store and this load, because a rank
// that goes to sleep ensures that one of the two sides sees the other.
static inline void gondwana_gex_after_put(gex_TM_t tm, gex_Rank_t rank,
                                          const struct gondwana_gex_member* member) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(__atomic_load_n(member->asleep, __ATOMIC_RELAXED) != 0, 0)) {
    gondwana_gex_wake(tm, rank);
  }
}

// A complete operation has no leaf to wait for.
static inline void gondwana_gex_leaf_is_done(gex_Event_t* lc_opt) {
  if ((uintptr_t)lc_opt > (uintptr_t)GEX_EVENT_GROUP) *lc_opt = GEX_EVENT_INVALID;
}

// Puts nbytes from src to dest, in the bound segment of the endpoint named by tm and rank. When the
// call returns, the source may be reused and the data has arrived. For NB, that is when the event
// is complete, and for NBI, when gex_NBI_Wait(GEX_EC_PUT) has returned; lc_opt determines when the
// source may be reused. Nonzero, or GEX_EVENT_NO_OP: GEX_FLAG_IMMEDIATE prevented the start. The
// two sides must not overlap. GASNet-EX 0.19, Extended API.
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

// Gets nbytes from src, in the bound segment of the endpoint named by tm and rank. The data is in
// dest when the call returns, the event is complete, or gex_NBI_Wait(GEX_EC_GET) has returned.
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

// On big-endian processors the low nbytes, 1 to 8, of a value are at its end. The value is always
// in host memory, whatever memory the local endpoint is bound to.
#define GONDWANA_GEX_OF_VALUE(flags) \
  (((flags) & ~GEX_FLAG_SELF_SEG_OFFSET) | GEX_FLAG_SELF_SEG_UNKNOWN)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define GONDWANA_GEX_LOW_BYTES(value, nbytes) ((char*)&(value) + sizeof(value) - (nbytes))
#else
#define GONDWANA_GEX_LOW_BYTES(value, nbytes) ((char*)&(value))
#endif

// The same with a value instead of a buffer. nbytes is 1 to 8. A get fills the rest with zeros.
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
