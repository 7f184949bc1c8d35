// Atomics: gasnett_atomic_X on 32 bits, gasnett_atomic32_X and gasnett_atomic64_X on 32 and 64
// bits. In a single-threaded program they are plain loads and stores. gasnett_strongatomic*_X are
// the same operations and always atomic, so signal handlers may use them.
//
// `flags` determine the ordering of the operation, and may be combined. WMB_PRE (REL): earlier
// loads and stores precede it. RMB_POST (ACQ): later accesses follow it. MB_PRE and MB_POST: full
// fences. _IF_TRUE and _IF_FALSE: depending on the result.
//
// Part of gasnet_tools.h.
#ifndef GONDWANA_GASNET_TOOLS_ATOMICS_H
#define GONDWANA_GASNET_TOOLS_ATOMICS_H

GASNETT_BEGIN_EXTERNC

#define GASNETT_ATOMIC_NONE 0
#define GASNETT_ATOMIC_RMB_PRE 0x1
#define GASNETT_ATOMIC_WMB_PRE 0x2
#define GASNETT_ATOMIC_MB_PRE (GASNETT_ATOMIC_RMB_PRE | GASNETT_ATOMIC_WMB_PRE)
#define GASNETT_ATOMIC_RMB_POST 0x4
#define GASNETT_ATOMIC_WMB_POST 0x8
#define GASNETT_ATOMIC_MB_POST (GASNETT_ATOMIC_RMB_POST | GASNETT_ATOMIC_WMB_POST)
#define GASNETT_ATOMIC_RMB_POST_IF_TRUE 0x10
#define GASNETT_ATOMIC_RMB_POST_IF_FALSE 0x20
#define GASNETT_ATOMIC_REL GASNETT_ATOMIC_WMB_PRE
#define GASNETT_ATOMIC_ACQ GASNETT_ATOMIC_RMB_POST
#define GASNETT_ATOMIC_ACQ_IF_TRUE GASNETT_ATOMIC_RMB_POST_IF_TRUE
#define GASNETT_ATOMIC_ACQ_IF_FALSE GASNETT_ATOMIC_RMB_POST_IF_FALSE

// May alias any object of the same size, even a floating-point one.
typedef uint32_t gondwana_gasnett_word32 __attribute__((__may_alias__));
typedef uint64_t gondwana_gasnett_word64 __attribute__((__may_alias__));
typedef struct {
  gondwana_gasnett_word32 value;
} gasnett_atomic32_t;
typedef struct {
  gondwana_gasnett_word64 value;
} gasnett_atomic64_t;
typedef gasnett_atomic32_t gasnett_atomic_t;
typedef uint32_t gasnett_atomic_val_t;
typedef int32_t gasnett_atomic_sval_t;
typedef gasnett_atomic_t gasnett_strongatomic_t;
typedef gasnett_atomic32_t gasnett_strongatomic32_t;
typedef gasnett_atomic64_t gasnett_strongatomic64_t;
typedef gasnett_atomic_val_t gasnett_strongatomic_val_t;
typedef gasnett_atomic_sval_t gasnett_strongatomic_sval_t;

#define gasnett_atomic_init(v) {(gasnett_atomic_val_t)(v)}
#define gasnett_atomic32_init(v) {(uint32_t)(v)}
#define gasnett_atomic64_init(v) {(uint64_t)(v)}
#define gasnett_strongatomic_init(v) gasnett_atomic_init(v)
#define gasnett_strongatomic32_init(v) gasnett_atomic32_init(v)
#define gasnett_strongatomic64_init(v) gasnett_atomic64_init(v)

#define gasnett_atomic_signed(v) ((gasnett_atomic_sval_t)(v))
#define gasnett_strongatomic_signed(v) gasnett_atomic_signed(v)
#define GASNETT_ATOMIC_MAX ((gasnett_atomic_val_t)0xFFFFFFFFU)
#define GASNETT_ATOMIC_SIGNED_MIN ((gasnett_atomic_sval_t)(-0x7FFFFFFF - 1))
#define GASNETT_ATOMIC_SIGNED_MAX ((gasnett_atomic_sval_t)0x7FFFFFFF)
#define GASNETT_STRONGATOMIC_MAX GASNETT_ATOMIC_MAX
#define GASNETT_STRONGATOMIC_SIGNED_MIN GASNETT_ATOMIC_SIGNED_MIN
#define GASNETT_STRONGATOMIC_SIGNED_MAX GASNETT_ATOMIC_SIGNED_MAX
#define GASNETT_HAVE_ATOMIC_CAS 1
#define GASNETT_HAVE_ATOMIC_ADD_SUB 1
#define GASNETT_HAVE_STRONGATOMIC_CAS 1
#define GASNETT_HAVE_STRONGATOMIC_ADD_SUB 1

// The flags are almost always constants, so one branch of these remains.
GASNETT_INLINE(gondwana_gasnett_fence_before) void gondwana_gasnett_fence_before(int flags) {
  if ((flags & GASNETT_ATOMIC_MB_PRE) == GASNETT_ATOMIC_MB_PRE)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else if (flags & GASNETT_ATOMIC_WMB_PRE)
    __atomic_thread_fence(__ATOMIC_RELEASE);
  else if (flags & GASNETT_ATOMIC_RMB_PRE)
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}
// Before a load, a release fence would allow the load to overtake earlier stores.
GASNETT_INLINE(gondwana_gasnett_fence_before_load)
void gondwana_gasnett_fence_before_load(int flags) {
  gondwana_gasnett_fence_before(flags & GASNETT_ATOMIC_WMB_PRE ? flags | GASNETT_ATOMIC_MB_PRE
                                                               : flags);
}
GASNETT_INLINE(gondwana_gasnett_fence_after) void gondwana_gasnett_fence_after(int flags) {
  if (flags & GASNETT_ATOMIC_WMB_POST)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else if (flags & GASNETT_ATOMIC_RMB_POST)
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}
GASNETT_INLINE(gondwana_gasnett_flags_of) int gondwana_gasnett_flags_of(int flags, int result) {
  const int wanted = result ? GASNETT_ATOMIC_RMB_POST_IF_TRUE : GASNETT_ATOMIC_RMB_POST_IF_FALSE;
  return flags & wanted ? flags | GASNETT_ATOMIC_RMB_POST : flags;
}

// A locked instruction of x86 is a full fence, and loads and stores are ordered anyway. Stating the
// order costs nothing, and tools that do not know fences understand it.
#if PLATFORM_ARCH_X86_64 || PLATFORM_ARCH_X86
#define GONDWANA_GASNETT_LOAD_ORDER __ATOMIC_ACQUIRE
#define GONDWANA_GASNETT_STORE_ORDER __ATOMIC_RELEASE
#define GONDWANA_GASNETT_ORDER __ATOMIC_SEQ_CST
#define GONDWANA_GASNETT_BEFORE(flags) ((void)(flags))
#define GONDWANA_GASNETT_AFTER(flags) ((void)(flags))
#else
#define GONDWANA_GASNETT_LOAD_ORDER __ATOMIC_RELAXED
#define GONDWANA_GASNETT_STORE_ORDER __ATOMIC_RELAXED
#define GONDWANA_GASNETT_ORDER __ATOMIC_RELAXED
#define GONDWANA_GASNETT_BEFORE(flags) gondwana_gasnett_fence_before(flags)
#define GONDWANA_GASNETT_AFTER(flags) gondwana_gasnett_fence_after(flags)
#endif

// All operations named `name`, on a `word`. `exclusive` is 0 if no other thread can interfere
// between a load and a store.
#define GONDWANA_GASNETT_ATOMICS(name, word, exclusive)                                            \
  static __inline__ word name##_read(const volatile name##_t* target, int flags) {                 \
    word value;                                                                                    \
    if (exclusive) gondwana_gasnett_fence_before_load(flags);                                      \
    value = __atomic_load_n(&target->value, GONDWANA_GASNETT_LOAD_ORDER);                          \
    if (exclusive) gondwana_gasnett_fence_after(flags);                                            \
    return value;                                                                                  \
  }                                                                                                \
  static __inline__ void name##_set(volatile name##_t* target, word value, int flags) {            \
    if (exclusive) gondwana_gasnett_fence_before(flags);                                           \
    __atomic_store_n(&target->value, value, GONDWANA_GASNETT_STORE_ORDER);                         \
    if (exclusive) gondwana_gasnett_fence_after(flags);                                            \
  }                                                                                                \
  static __inline__ word name##_add(volatile name##_t* target, word value, int flags) {            \
    word sum;                                                                                      \
    if (exclusive) {                                                                               \
      GONDWANA_GASNETT_BEFORE(flags);                                                              \
      sum = __atomic_add_fetch(&target->value, value, GONDWANA_GASNETT_ORDER);                     \
      GONDWANA_GASNETT_AFTER(flags);                                                               \
    } else {                                                                                       \
      sum = (word)(name##_read(target, 0) + value);                                                \
      name##_set(target, sum, 0);                                                                  \
    }                                                                                              \
    return sum;                                                                                    \
  }                                                                                                \
  static __inline__ word name##_subtract(volatile name##_t* target, word value, int flags) {       \
    return name##_add(target, (word)(0 - value), flags);                                           \
  }                                                                                                \
  static __inline__ void name##_increment(volatile name##_t* target, int flags) {                  \
    (void)name##_add(target, 1, flags);                                                            \
  }                                                                                                \
  static __inline__ void name##_decrement(volatile name##_t* target, int flags) {                  \
    (void)name##_subtract(target, 1, flags);                                                       \
  }                                                                                                \
  static __inline__ int name##_decrement_and_test(volatile name##_t* target, int flags) {          \
    const int is_zero = name##_subtract(target, 1, flags) == 0;                                    \
    if (exclusive)                                                                                 \
      GONDWANA_GASNETT_AFTER(gondwana_gasnett_flags_of(flags & ~GASNETT_ATOMIC_MB_POST, is_zero)); \
    return is_zero;                                                                                \
  }                                                                                                \
  static __inline__ word name##_swap(volatile name##_t* target, word value, int flags) {           \
    word old;                                                                                      \
    if (exclusive) {                                                                               \
      GONDWANA_GASNETT_BEFORE(flags);                                                              \
      old = __atomic_exchange_n(&target->value, value, GONDWANA_GASNETT_ORDER);                    \
      GONDWANA_GASNETT_AFTER(flags);                                                               \
    } else {                                                                                       \
      old = name##_read(target, 0);                                                                \
      name##_set(target, value, 0);                                                                \
    }                                                                                              \
    return old;                                                                                    \
  }                                                                                                \
  static __inline__ int name##_compare_and_swap(volatile name##_t* target, word expected,          \
                                                word value, int flags) {                           \
    int is_swapped;                                                                                \
    if (exclusive) {                                                                               \
      GONDWANA_GASNETT_BEFORE(flags);                                                              \
      is_swapped = __atomic_compare_exchange_n(&target->value, &expected, value, 0,                \
                                               GONDWANA_GASNETT_ORDER, GONDWANA_GASNETT_ORDER);    \
      GONDWANA_GASNETT_AFTER(gondwana_gasnett_flags_of(flags, is_swapped));                        \
    } else {                                                                                       \
      is_swapped = name##_read(target, 0) == expected;                                             \
      if (is_swapped) name##_set(target, value, 0);                                                \
    }                                                                                              \
    return is_swapped;                                                                             \
  }

GONDWANA_GASNETT_ATOMICS(gasnett_atomic, gondwana_gasnett_word32, GONDWANA_GASNETT_THREADS)
GONDWANA_GASNETT_ATOMICS(gasnett_atomic32, gondwana_gasnett_word32, GONDWANA_GASNETT_THREADS)
GONDWANA_GASNETT_ATOMICS(gasnett_atomic64, gondwana_gasnett_word64, GONDWANA_GASNETT_THREADS)
GONDWANA_GASNETT_ATOMICS(gasnett_strongatomic, gondwana_gasnett_word32, 1)
GONDWANA_GASNETT_ATOMICS(gasnett_strongatomic32, gondwana_gasnett_word32, 1)
GONDWANA_GASNETT_ATOMICS(gasnett_strongatomic64, gondwana_gasnett_word64, 1)

GASNETT_END_EXTERNC

#endif  // GONDWANA_GASNET_TOOLS_ATOMICS_H
