// The properties of the library that a program sees at compile time. Part of gasnetex.h.
#ifndef GONDWANA_GASNET_CONFIGURATION_H
#define GONDWANA_GASNET_CONFIGURATION_H

#include <limits.h>

#include "../gasnet_config.h"  // clients of this release compile

// The client chooses the thread mode. SEQ: one thread calls the library; PARSYNC: several threads,
// one at a time; PAR: any thread at any time. One library serves all three.
#if defined(GASNET_SEQ) + defined(GASNET_PARSYNC) + defined(GASNET_PAR) != 1
#error "Define one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR, for example -DGASNET_PAR=1"
#endif
#if defined(GASNET_SEQ)
#define GONDWANA_GASNET_THREADS 0
#define GONDWANA_GASNET_THREADS_STR "SEQ"
#elif defined(GASNET_PARSYNC)
#define GONDWANA_GASNET_THREADS 1
#define GONDWANA_GASNET_THREADS_STR "PARSYNC"
#else
#define GONDWANA_GASNET_THREADS 2
#define GONDWANA_GASNET_THREADS_STR "PAR"
#endif

// With GASNET_DEBUG every call goes through the library, which checks its arguments and, for
// messages, polls and collectives, whether the call is allowed at this point. GONDWANA_DEBUG=yes in
// the environment does the same at run time.
#if defined(GASNET_DEBUG) && defined(GASNET_NDEBUG)
#error "Define GASNET_DEBUG or GASNET_NDEBUG, not both"
#endif
#if defined(GASNET_DEBUG)
#define GONDWANA_GASNET_CHECKS 1
#define GONDWANA_GASNET_CHECKS_STR "debug"
#else
#ifndef GASNET_NDEBUG
#define GASNET_NDEBUG 1
#endif
#define GONDWANA_GASNET_CHECKS 0
#define GONDWANA_GASNET_CHECKS_STR "nodebug"
#endif

// The version of the GASNet-1 specification. GASNet-EX 0.19, versioning.
#define GASNET_SPEC_VERSION_MAJOR 1
#define GASNET_SPEC_VERSION_MINOR 8
#define GASNET_VERSION GASNET_SPEC_VERSION_MAJOR

// Limits. The page size is in bytes. No client thread runs handlers unless it calls the library.
#define GASNET_PAGESIZE 4096
#define GASNET_PAGESHIFT 12
#define GASNET_MAXNODES 65535
#define GASNET_MAXEPS 33
#define GASNET_HIDDEN_AM_CONCURRENCY_LEVEL 0

// Segments are allocated at any free address in each process. With GASNET_SEGMENT_EVERYTHING, which
// is set on the command line, calls may name any address of a peer. They are then messages, and the
// peer must poll.
#if defined(GASNET_SEGMENT_EVERYTHING)
#define GONDWANA_GASNET_SEGMENT_STR "EVERYTHING"
#else
#define GASNET_SEGMENT_FAST 1
#define GONDWANA_GASNET_SEGMENT_STR "FAST"
#endif
#define GASNET_ALIGNED_SEGMENTS 0

// Classes of memory kinds. The library searches for device drivers when a kind is created, so it
// supports all classes. But clients that see a class include headers of its vendor, which may be
// missing. GONDWANA_GASNET_NO_CUDA_UVA, _NO_HIP and _NO_ZE hide a class. Calls that may name any
// address accept host memory only.
#define GASNET_HAVE_MK_CLASS_HOST 1
#if !defined(GASNET_SEGMENT_EVERYTHING)
#if !defined(GONDWANA_GASNET_NO_CUDA_UVA)
#define GASNET_HAVE_MK_CLASS_CUDA_UVA 1
#endif
#if !defined(GONDWANA_GASNET_NO_HIP)
#define GASNET_HAVE_MK_CLASS_HIP 1
#endif
#if !defined(GONDWANA_GASNET_NO_ZE)
#define GASNET_HAVE_MK_CLASS_ZE 1
#endif
#endif
#if defined(GASNET_HAVE_MK_CLASS_CUDA_UVA) || defined(GASNET_HAVE_MK_CLASS_HIP) || \
    defined(GASNET_HAVE_MK_CLASS_ZE)
#define GASNET_HAVE_MK_CLASS_MULTIPLE 1
#endif

// One library serves jobs on one machine and on several. Clients that use the name of a GASNet
// conduit see the conduit of the fragment or package that they compile with. The macro by which
// clients distinguish networks is always OFI: with GASNET_CONDUIT_SMP UPC++ assumes that all ranks
// share memory, and with GASNET_CONDUIT_IBV Chapel assumes that a thread receives.
#ifndef GONDWANA_GASNET_CONDUIT
#define GONDWANA_GASNET_CONDUIT SMP
#endif
#define GONDWANA_GASNET_TEXT_OF(name) #name
#define GONDWANA_GASNET_TEXT(name) GONDWANA_GASNET_TEXT_OF(name)
#define GASNET_CONDUIT_OFI 1
#define GASNET_CONDUIT_NAME GONDWANA_GASNET_CONDUIT
#define GASNET_CONDUIT_NAME_STR GONDWANA_GASNET_TEXT(GONDWANA_GASNET_CONDUIT)
#define GASNET_CORE_NAME GASNET_CONDUIT_NAME
#define GASNET_CORE_NAME_STR GASNET_CONDUIT_NAME_STR
#define GASNET_CORE_VERSION 2025.8.0
#define GASNET_CORE_VERSION_STR "2025.8.0"
#define GASNET_EXTENDED_NAME GASNET_CONDUIT_NAME
#define GASNET_EXTENDED_NAME_STR GASNET_CONDUIT_NAME_STR
#define GASNET_EXTENDED_VERSION 2025.8.0
#define GASNET_EXTENDED_VERSION_STR "2025.8.0"
#define GASNET_PSHM 1

// A negotiated Medium is written into the message itself. A negotiated Long is copied.
#define GASNET_NATIVE_NP_ALLOC_REQ_MEDIUM 1
#define GASNET_NATIVE_NP_ALLOC_REP_MEDIUM 1

// All queries of gex_Token_Info, and the newer calls on negotiated messages, are available.
#define GASNET_SUPPORTS_TI_SRCRANK 1
#define GASNET_SUPPORTS_TI_EP 1
#define GASNET_SUPPORTS_TI_ENTRY 1
#define GASNET_SUPPORTS_TI_IS_REQ 1
#define GASNET_SUPPORTS_TI_IS_LONG 1
#define GASNET_SUPPORTS_AM_COMMIT_V2 20240906L
#define GASNET_SUPPORTS_AM_CANCEL 20240418L

// Other names that programs expect from this header: a size, formats of size_t, INT_MAX, MIN.
#ifndef SIZEOF_INT
#define SIZEOF_INT __SIZEOF_INT__
#endif
#ifndef PRIuSZ
#define PRIuSZ "zu"
#define PRIxSZ "zx"
#endif
#ifndef MIN
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#endif
#ifndef MAX
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#endif

#define GASNET_CONFIG_STRING                                                                  \
  "RELEASE=2025.8.0,SPEC=0.19,CONDUIT=" GASNET_CONDUIT_NAME_STR "(" GASNET_CORE_NAME_STR      \
  "-2025.8.0/" GASNET_EXTENDED_NAME_STR "-2025.8.0),THREADMODEL=" GONDWANA_GASNET_THREADS_STR \
  ",SEGMENT=" GONDWANA_GASNET_SEGMENT_STR                                                     \
  ",PTR=64bit,CACHE_LINE_BYTES=64,noalign,pshm," GONDWANA_GASNET_CHECKS_STR                   \
  ",notrace,nostats,nodebugmalloc,nosrclines,timers_native,"                                  \
  "membars_native,atomics_native,atomic32_native,atomic64_native"

// Launchers read these strings from the executable. The library is compiled without them, because a
// static library would add its own.
#ifndef GONDWANA_GASNET_NO_IDENT
static const char gondwana_gasnet_ident[] __attribute__((__used__)) =
    "$GASNetConfig: (object) " GASNET_CONFIG_STRING
    " $\0"
    "$GASNetConduitName: " GASNET_CONDUIT_NAME_STR
    " $\0"
    "$GASNetThreadModel: GASNET_" GONDWANA_GASNET_THREADS_STR
    " $\0"
    "$GASNetSegment: GASNET_SEGMENT_" GONDWANA_GASNET_SEGMENT_STR
    " $\0"
    "$GASNetAPIVersion: 1 $\0"
    "$GASNetEXAPIVersion: 0.19 $";
#endif

#endif  // GONDWANA_GASNET_CONFIGURATION_H
