// The GASNet tools: timers, fences, atomics, locks, environment variables, backtraces and other
// utilities for portable programs, without communication. Version 1.20 of their specification.
//
// Include this header alone, or after gasnetex.h. A multithreaded program defines
// GASNETT_THREAD_SAFE (implied by GASNET_PAR and GASNET_PARSYNC), a single-threaded one
// GASNETT_THREAD_SINGLE (implied by GASNET_SEQ). Without any of them the tools are thread-safe.
// With GASNETT_LITE_MODE there are no atomics, locks and thread keys, and one object file serves
// both kinds of program. With GASNET_DEBUG, or GASNETT_DEBUG, locks detect misuse.
//
// Do not take the address of a name here, and do not #undef it, because functions and macros may
// change. Names that contain gondwana_ or GONDWANA_ are internal.
#ifndef GONDWANA_GASNET_TOOLS_H
#define GONDWANA_GASNET_TOOLS_H

// Programs expect some of these from this header.
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "gasnet_portable_platform.h"

#include "gasnet/tools_annotations.h"

#ifndef __GNUC__
#error "gasnet_tools.h: this compiler has no __atomic functions; use gcc, clang or one like them"
#endif

// ----------------------------------------------------------------------
// Threads
#if defined(GASNETT_LITE_MODE)
// The rest is the same for both.
#elif defined(GASNETT_THREAD_SINGLE) && \
    (defined(GASNETT_THREAD_SAFE) || defined(GASNET_PAR) || defined(GASNET_PARSYNC))
#error "GASNETT_THREAD_SINGLE contradicts GASNETT_THREAD_SAFE, GASNET_PAR and GASNET_PARSYNC"
#elif defined(GASNETT_THREAD_SAFE)
#undef GASNETT_THREAD_SAFE
#define GASNETT_THREAD_SAFE 1
#elif defined(GASNETT_THREAD_SINGLE) || defined(GASNET_SEQ)
#undef GASNETT_THREAD_SINGLE
#define GASNETT_THREAD_SINGLE 1
#else
#define GASNETT_THREAD_SAFE 1
#endif

#if defined(GASNETT_THREAD_SAFE)
#define GONDWANA_GASNETT_THREADS 1
#else
#define GONDWANA_GASNETT_THREADS 0
#endif

#if defined(GASNET_DEBUG) || defined(GASNETT_DEBUG)
#define GONDWANA_GASNETT_CHECKS 1
#else
#define GONDWANA_GASNETT_CHECKS 0
#endif

// Programs written for GASNet test these in an #if.
#ifndef HAVE_PTHREAD_H
#define HAVE_PTHREAD_H 1
#endif
#ifndef HAVE_MMAP
#define HAVE_MMAP 1
#endif

// ----------------------------------------------------------------------
// Versions and properties of the system
#define GASNETT_SPEC_VERSION_MAJOR 1
#define GASNETT_SPEC_VERSION_MINOR 20
#define GASNETT_RELEASE_VERSION_MAJOR 2025
#define GASNETT_RELEASE_VERSION_MINOR 8
#define GASNETT_RELEASE_VERSION_PATCH 0
#ifndef GASNET_RELEASE_VERSION_MAJOR
#define GASNET_RELEASE_VERSION_MAJOR 2025
#define GASNET_RELEASE_VERSION_MINOR 8
#define GASNET_RELEASE_VERSION_PATCH 0
#endif

#if PLATFORM_ARCH_X86_64
#define GONDWANA_GASNETT_PROCESSOR "x86_64"
#elif PLATFORM_ARCH_X86
#define GONDWANA_GASNETT_PROCESSOR "i686"
#elif PLATFORM_ARCH_AARCH64
#define GONDWANA_GASNETT_PROCESSOR "aarch64"
#elif PLATFORM_ARCH_POWERPC && PLATFORM_ARCH_LITTLE_ENDIAN
#define GONDWANA_GASNETT_PROCESSOR "powerpc64le"
#elif PLATFORM_ARCH_RISCV
#define GONDWANA_GASNETT_PROCESSOR "riscv64"
#else
#define GONDWANA_GASNETT_PROCESSOR "unknown"
#endif
#if PLATFORM_OS_LINUX
#define GASNETT_SYSTEM_TUPLE GONDWANA_GASNETT_PROCESSOR "-unknown-linux-gnu"
#else
#define GASNETT_SYSTEM_TUPLE GONDWANA_GASNETT_PROCESSOR "-unknown-unknown"
#endif

// Estimates for use in #if and as array sizes.
#define GASNETT_CACHE_LINE_BYTES 64
#define GASNETT_PAGESIZE 4096
#define GASNETT_PAGESHIFT 12
#if GONDWANA_GASNETT_THREADS
#define GASNETT_MAX_THREADS 256
#else
#define GASNETT_MAX_THREADS 1
#endif

#if PLATFORM_ARCH_32
#define GONDWANA_GASNETT_POINTERS "32bit"
#else
#define GONDWANA_GASNETT_POINTERS "64bit"
#endif
#if defined(GASNETT_LITE_MODE)
#define GONDWANA_GASNETT_THREAD_MODEL "LITE"
#elif GONDWANA_GASNETT_THREADS
#define GONDWANA_GASNETT_THREAD_MODEL "PAR"
#else
#define GONDWANA_GASNETT_THREAD_MODEL "SEQ"
#endif
#if GONDWANA_GASNETT_CHECKS
#define GONDWANA_GASNETT_CHECK_MODEL "debug"
#else
#define GONDWANA_GASNETT_CHECK_MODEL "nodebug"
#endif
#ifdef GASNET_CONFIG_STRING
#define GASNETT_CONFIG_STRING GASNET_CONFIG_STRING
#else
#define GASNETT_CONFIG_STRING                                             \
  "RELEASE=2025.8.0,SPEC=1.20,THREADMODEL=" GONDWANA_GASNETT_THREAD_MODEL \
  ",PTR=" GONDWANA_GASNETT_POINTERS "," GONDWANA_GASNETT_CHECK_MODEL      \
  ",notrace,nostats,"                                                     \
  "timers_native,membars_native,atomics_native,atomic32_native,atomic64_native"
#endif

GASNETT_BEGIN_EXTERNC

// ----------------------------------------------------------------------
// Fatal errors, signals, process exit

// Print the message to stderr, with the place of the call or without, and abort. With
// GASNET_FREEZE_ON_ERROR they wait for a debugger, and with GASNET_BACKTRACE they print a
// backtrace.
#define gasnett_fatalerror(...) \
  gondwana_gasnett_fatal_error(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__, __VA_ARGS__)
void gondwana_gasnett_fatal_error(const char* function, const char* file, int line,
                                  const char* format, ...) GASNETT_NORETURN GASNETT_COLD
    __attribute__((__format__(__printf__, 4, 5)));
void gasnett_fatalerror_nopos(const char* format, ...) GASNETT_NORETURN GASNETT_COLD
    __attribute__((__format__(__printf__, 1, 2)));

// The source location as text, which the caller frees.
#define gasnett_current_loc gondwana_gasnett_location(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__)
char* gondwana_gasnett_location(const char* function, const char* file, int line) GASNETT_MALLOC;

// Ends the process and its threads at once, without running exit handlers.
void gasnett_killmyprocess(int exitcode) GASNETT_NORETURN;

typedef void (*gasnett_sighandlerfn_t)(int);
// Returns the previous handler.
gasnett_sighandlerfn_t gasnett_reghandler(int signal_number, gasnett_sighandlerfn_t handler);

void gasnett_flush_streams(void);
void gasnett_close_streams(void);
void gasnett_sched_yield(void);

#if GONDWANA_GASNETT_CHECKS
#define gasnett_assume(condition) \
  ((condition) ? (void)0 : gasnett_fatalerror("this was assumed: %s", #condition))
#else
#define gasnett_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif

// ----------------------------------------------------------------------
// Backtraces and debuggers
typedef struct {
  const char* name;
  int (*fnp)(int fd);  // writes the stack of the calling thread; returns 0 on success
  int threadsupport;   // whether it can also show other threads
} gasnett_backtrace_type_t;

// A program may define this: another backtrace function, tried before the library's own.
extern gasnett_backtrace_type_t gasnett_backtrace_user;

// Call it early with argv[0]. Reads the variables GASNET_BACKTRACE*, GASNET_FREEZE_SIGNAL.
void gasnett_backtrace_init(const char* exename);
// Returns 0 if one of the functions in GASNET_BACKTRACE_TYPE succeeded.
int gasnett_print_backtrace(int fd);
// The same if GASNET_BACKTRACE and GASNET_BACKTRACE_NODES request it, otherwise nothing. The
// library calls it when it fails. A program may replace it with its own function.
extern int (*gasnett_print_backtrace_ifenabled)(int fd);

// Sets *flag and waits until a debugger clears it. The message names the flag `name`.
void gasnett_freezeForDebuggerNow(volatile int* flag, const char* name);
// Waits for a debugger if GASNET_FREEZE_ON_ERROR is set.
void gasnett_freezeForDebuggerErr(void);

// ----------------------------------------------------------------------
// Time. Ticks are nanoseconds of a monotonic clock.
typedef uint64_t gasnett_tick_t;
#define GASNETT_TICK_MIN ((gasnett_tick_t)0)
#define GASNETT_TICK_MAX (~(gasnett_tick_t)0)
gasnett_tick_t gasnett_ticks_now(void);
#define gasnett_ticks_to_ns(ticks) ((uint64_t)(ticks))
#define gasnett_ticks_to_us(ticks) ((uint64_t)(ticks) / 1000)
// Measured by each call, in microseconds.
double gasnett_tick_granularityus(void);
double gasnett_tick_overheadus(void);
// Microseconds since 1970.
uint64_t gasnett_gettimeofday_us(void);
// Sleeps at least that long and returns 0, or -1 with EINTR if a signal interrupts it.
int gasnett_nsleep(uint64_t nanoseconds);

// ----------------------------------------------------------------------
// Environment variables. The functions with a default report their result once, on rank 0, if
// GASNET_VERBOSEENV is set. A malformed value ends the program with a message.
char* gasnett_getenv(const char* name);
char* gasnett_getenv_withdefault(const char* name, const char* otherwise);
// Y, YES, ON, TRUE or 1; N, NO, OFF, FALSE or 0; in either case.
int gasnett_getenv_yesno_withdefault(const char* name, int otherwise);
// A whole number in decimal or, after 0x, in hexadecimal. If `unit` is not 0 it is a size: it may
// have a fraction and one of B, KB, MB, GB, TB after it. Without one it counts units of `unit`
// bytes.
int64_t gasnett_getenv_int_withdefault(const char* name, int64_t otherwise, uint64_t unit);
// A number such as 1.5, -1e4 or 3/8.
double gasnett_getenv_dbl_withdefault(const char* name, double otherwise);
void gasnett_setenv(const char* name, const char* value);
void gasnett_unsetenv(const char* name);

int gasnett_verboseenv(void);
void gasnett_envstr_display(const char* name, const char* value, int is_default);
void gasnett_envint_display(const char* name, int64_t value, int is_default, int is_size);
void gasnett_envdbl_display(const char* name, double value, int is_default);

// A number, or a size in the largest unit that divides it, in the format of gasnett_parse_int.
// Returns `buffer`. The text is truncated if the buffer is too small.
char* gasnett_format_number(int64_t value, char* buffer, size_t size, int is_size);
int64_t gasnett_parse_int(const char* text, uint64_t unit);

// ----------------------------------------------------------------------
// The machine and the process
const char* gasnett_gethostname(void);
const char* gasnett_exe_name(void);  // the whole path, or ""
int gasnett_cpu_count(void);
uint64_t gasnett_getPhysMemSz(int failure_is_fatal);
#define gasnett_isLittleEndian() (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
const char* gasnett_release_version_str(void);
uint64_t gasnett_release_version(void);
// Empty, or a description of what makes this program slow.
#define gasnett_performance_warning_str() \
  gondwana_gasnett_performance_warning(GONDWANA_GASNETT_CHECKS)
const char* gondwana_gasnett_performance_warning(int client_checks);

// Binds the calling thread to one processor. Returns 0 on success.
#if PLATFORM_OS_LINUX
#define GASNETT_SET_AFFINITY_SUPPORT 1
#endif
int gasnett_set_affinity(int rank);
#define GASNETT_SET_AFFINITY(rank) gasnett_set_affinity(rank)
// Raise soft limits to the hard ones, unless GASNET_MAXIMIZE_<name> is no. Nonzero: success.
int gasnett_maximize_rlimits(void);
int gasnett_maximize_rlimit(int resource, const char* name);

// Zeroed pages, or null.
void* gasnett_mmap(uintptr_t size);

typedef struct {
  uint64_t live_bytes;      // bytes of blocks in use
  uint64_t overhead_bytes;  // further bytes held by malloc
  uint64_t total_bytes;
} gasnett_heapstats_t;
void gasnett_getheapstats(gasnett_heapstats_t* stats);

// There is no debugging malloc, so these are the functions of the C library.
#define gasnett_debug_malloc(size) malloc(size)
#define gasnett_debug_calloc(count, size) calloc(count, size)
#define gasnett_debug_realloc(block, size) realloc(block, size)
#define gasnett_debug_free(block) free(block)
#define gasnett_debug_strdup(text) strdup(text)
#define gasnett_debug_strndup(text, size) strndup(text, size)
#define gasnett_debug_memcheck(block) ((void)(block))
#define gasnett_debug_memcheck_one() ((void)0)
#define gasnett_debug_memcheck_all() ((void)0)

// ----------------------------------------------------------------------
// Bytes
// A checksum that is the same for the same bytes in every process of a job. Not cryptographic.
uint64_t gasnett_checksum(const void* data, int size);
// Count the zero bytes. The second also copies them, to memory that must not overlap.
size_t gasnett_count0s(const void* data, size_t size);
size_t gasnett_count0s_copy(void* GASNETT_RESTRICT destination, const void* GASNETT_RESTRICT source,
                            size_t size);

static __inline__ int gasnett_count0s_uint64_t(uint64_t value) {
  // Each nonzero byte sets its own highest bit, without a carry into the next. The product adds
  // those bits up in its highest byte.
  const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
  const uint64_t ones = ((((value & low) + low) | value) & ~low) >> 7;
  return 8 - (int)((ones * UINT64_C(0x0101010101010101)) >> 56);
}
static __inline__ int gasnett_count0s_uint32_t(uint32_t value) {
  return gasnett_count0s_uint64_t(value) - 4;
}
static __inline__ int gasnett_count0s_uintptr_t(uintptr_t value) {
  return gasnett_count0s_uint64_t(value) - (int)(sizeof(uint64_t) - sizeof(uintptr_t));
}

GASNETT_END_EXTERNC

#include "gasnet/tools_fences.h"

#ifndef GASNETT_LITE_MODE
#include "gasnet/tools_atomics.h"
#include "gasnet/tools_locks.h"
#endif

#include "gasnet/tools_clients.h"

// ----------------------------------------------------------------------
// GASNet's traces and statistics are not supported.
#define GASNETT_TRACE_ENABLED 0
#define GASNETT_TRACE_PRINTF(...) ((void)0)
#define GASNETT_TRACE_PRINTF_FORCE(...) ((void)0)
#define GASNETT_TRACE_GETMASK() ""
#define GASNETT_TRACE_SETMASK(mask) ((void)(mask))
#define GASNETT_TRACE_GET_TRACELOCAL() 0
#define GASNETT_TRACE_SET_TRACELOCAL(is_wanted) ((void)(is_wanted))
#define GASNETT_TRACE_SETSOURCELINE(file, line) ((void)0)
#define GASNETT_TRACE_GETSOURCELINE(file, line) ((void)(*(file) = "", *(line) = 0))
#define GASNETT_TRACE_FREEZESOURCELINE() ((void)0)
#define GASNETT_TRACE_UNFREEZESOURCELINE() ((void)0)
#define GASNETT_STATS_INIT(callback) ((void)0)
#define GASNETT_STATS_PRINTF(...) ((void)0)
#define GASNETT_STATS_PRINTF_FORCE(...) ((void)0)
#define GASNETT_STATS_GETMASK() ""
#define GASNETT_STATS_SETMASK(mask) ((void)(mask))
#define GASNETT_STATS_DUMP(reset) ((void)(reset))

#endif  // GONDWANA_GASNET_TOOLS_H

// Texts for the declarations of gasnetex.h, whichever header came first.
#ifdef GONDWANA_GASNETEX_H
#include "gasnet/tools_format.h"
#endif
