// Fences, and the hint for spin loops. Part of gasnet_tools.h.
#ifndef GONDWANA_GASNET_TOOLS_FENCES_H
#define GONDWANA_GASNET_TOOLS_FENCES_H

#include "../gasnet_portable_platform.h"
#include "tools_annotations.h"

// gasnett_weak_X is gasnett_local_X in a multithreaded program, and otherwise nothing.
#define gasnett_compiler_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)
// All other threads see earlier stores before any later effect of this thread.
#define gasnett_local_wmb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
// Earlier loads are complete before any later operation of this thread begins.
#define gasnett_local_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define gasnett_local_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#ifdef GASNETT_THREAD_SINGLE
#define gasnett_weak_wmb() ((void)0)
#define gasnett_weak_rmb() ((void)0)
#define gasnett_weak_mb() ((void)0)
#else
#define gasnett_weak_wmb() gasnett_local_wmb()
#define gasnett_weak_rmb() gasnett_local_rmb()
#define gasnett_weak_mb() gasnett_local_mb()
#endif

GASNETT_BEGIN_EXTERNC

// For the body of a loop that waits for memory to change.
static __inline__ void gasnett_spinloop_hint(void) {
#if PLATFORM_ARCH_X86_64 || PLATFORM_ARCH_X86
  __builtin_ia32_pause();
#elif PLATFORM_ARCH_AARCH64
  __asm__ __volatile__("yield" ::: "memory");
#endif
  gasnett_compiler_fence();
}

GASNETT_END_EXTERNC

#endif  // GONDWANA_GASNET_TOOLS_FENCES_H
