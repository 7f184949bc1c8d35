/*
 * Gondwana's extensions to OpenSHMEM. Every name here begins with shmemx_ or SHMEMX_.
 */
#ifndef GONDWANA_SHMEMX_H
#define GONDWANA_SHMEMX_H

#include <stddef.h>
#include <stdint.h>

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Start without a launcher of Gondwana. One process makes a unique id, any channel (a file, a pipe,
 * MPI, a store) carries its 128 bytes to the others, and each process passes it with its own rank.
 * Call them instead of shmem_init.
 *
 * shmemx_get_uniqueid: a new id, for one start of one job. May be called at any time, also by a
 * process that is not a rank. It must live until all ranks have joined: a thread of it serves them.
 * shmemx_set_attr_uniqueid_args: writes rank, number of ranks and a copy of the id to "attr".
 * shmemx_init_attr: with SHMEMX_INIT_WITH_UNIQUEID, collective over the ranks of the id. With 0
 * it is shmem_init_thread. Ranks of one host must have consecutive numbers.
 *
 * All return 0. A process that is refused, or whose peers do not come within GONDWANA_JOIN_TIMEOUT,
 * prints the reason, gets nonzero and is as before. After the last shmem_finalize, a process can
 * join another job by another id, with any rank and size; shmem_init then returns to the job of its
 * launcher. A forked child of a rank can join, too.
 *
 * Global and static variables are symmetric if the program has one thread during shmemx_init_attr,
 * otherwise not: then only memory of the heap is. All ranks must be alike.
 */
#define SHMEMX_UNIQUEID 1
#define SHMEMX_INIT_WITH_UNIQUEID 8

typedef struct {
  int version;
  char internal[124];
} shmemx_uniqueid_t;

typedef struct {
  int version;
  int rank;
  int nranks;
  int thread_level; /* SHMEM_THREAD_... */
  shmemx_uniqueid_t uniqueid;
  char reserved[48];
} shmemx_init_attr_t;

#define SHMEMX_UNIQUEID_INITIALIZER {(1 << 16) + (int)sizeof(shmemx_uniqueid_t), {0}}
#define SHMEMX_INIT_ATTR_INITIALIZER \
  {(1 << 16) + (int)sizeof(shmemx_init_attr_t), -1, -1, 0, SHMEMX_UNIQUEID_INITIALIZER, {0}}

int shmemx_get_uniqueid(shmemx_uniqueid_t* uniqueid);
int shmemx_set_attr_uniqueid_args(int rank, int nranks, const shmemx_uniqueid_t* uniqueid,
                                  shmemx_init_attr_t* attr);
int shmemx_init_attr(unsigned int flags, shmemx_init_attr_t* attr);

/*
 * Names the calls of this thread from here to the matching end. Regions may be nested.
 *
 * A traced job shows each region as a slice that contains its calls. Only the first 47 bytes of the
 * name are kept, and up to 1000 different names. If a tool has loaded the NVTX library, each region
 * is also an NVTX range. Otherwise both calls return at once. Not collective. A region before
 * shmem_init is allowed and not shown. An end without a begin has no effect; GONDWANA_DEBUG=yes
 * warns of it, once.
 */
#define SHMEMX_REGIONS 1
void shmemx_region_begin(const char* name);
void shmemx_region_end(void);

/*
 * Registers the program's own memory (from malloc, mmap or another library), so that all PEs can
 * put to it, get from it and update it. Collective over all PEs. Each PE passes its own buffer.
 * Sizes may differ, and a PE without a buffer passes NULL or 0 bytes.
 *
 * Afterwards an address within the caller's buffer may be the remote argument of put, get (p, g,
 * iput, iget, _nbi and size variants), put_signal and atomic calls. It names the byte at the same
 * distance from the beginning of the target PE's buffer, and must lie within that buffer. A
 * collective accepts it as dest or source if all its PEs name the same buffer. Locks do not accept
 * it. wait_until and test accept addresses in the caller's own buffer. Effects become visible as in
 * symmetric memory.
 *
 * Whole pages become shared memory, at the same address, including all other data in them. No
 * thread may write to them during the call. The buffer must stay in place: do not free, resize or
 * unmap it before it is unregistered. shmem_finalize unregisters the remaining buffers. Stacks,
 * read-only memory and MAP_SHARED memory without an open file are rejected. Buffers must not
 * overlap. A forked child gets a copy.
 *
 * Returns 0. On failure all PEs return nonzero, nothing is registered, and a PE whose buffer cannot
 * be shared prints the reason. Needs 32 bytes for each PE in the symmetric heap.
 *
 * The buffer may be device memory (see below). Peers reach it by copies of the device, and
 * shmem_ptr returns NULL.
 */
#define SHMEMX_BUFFERS 1
int shmemx_buffer_register(void* addr, size_t bytes);

/*
 * Unregisters a buffer. Collective. Each PE passes the address that it registered, or NULL if it
 * had no buffer. Complete all puts to the buffer (shmem_quiet) first. The memory becomes private
 * again and keeps its contents. Returns 0. All PEs return nonzero if a PE passed an address that is
 * not the beginning of its buffer, or if not all PEs named the same buffer.
 */
int shmemx_buffer_unregister(void* addr);

/*
 * Device memory. The processor faults if it accesses this memory. Its addresses are valid in the
 * calls below, in shmemx_buffer_register, and as the local argument of put, get and put_signal.
 * Registered device memory is also valid as the remote argument, and in collectives.
 * GONDWANA_KINDS selects the vendors whose devices the library uses. GONDWANA_EMULATED_DEVICES is
 * the number of emulated devices of each PE. Not collective. Call them after shmem_init.
 *
 * shmemx_devices: the number of devices of this PE. They are numbered from 0.
 * shmemx_device_name: writes the name of a device, such as "emulated:0", at most "bytes" with the
 * terminating 0. Returns 0, or nonzero if the device does not exist.
 * shmemx_device_of: the device that contains an address, or -1 for host memory.
 * shmemx_device_malloc: zeroed memory of this PE, aligned to a cache line. Returns NULL, with a
 * message, if it is not available. shmem_finalize frees the remaining memory. If the program also
 * uses another API of Gondwana, the end of that API frees it.
 * shmemx_device_free: frees a pointer from shmemx_device_malloc, which must not be registered any
 * more. NULL has no effect.
 * shmemx_device_memcpy: copies between memory of this PE, in host memory or on any device. Complete
 * on return. Returns 0, or nonzero, with a message, if the bytes are not in one allocation.
 */
#define SHMEMX_DEVICES 1
int shmemx_devices(void);
int shmemx_device_name(int device, char* name, size_t bytes);
int shmemx_device_of(const void* addr);
void* shmemx_device_malloc(int device, size_t bytes);
void shmemx_device_free(void* addr);
int shmemx_device_memcpy(void* dest, const void* source, size_t bytes);

/*
 * A symmetric heap on devices, in addition to the heap on the host. All calls are collective over
 * all PEs and contain barriers, like shmem_malloc and shmem_free. Only one heap can exist at a
 * time.
 *
 * shmemx_device_heap_create: creates a heap of "bytes" bytes on a device of each PE. "bytes" must
 * be the same on all PEs; "device" may differ. Returns 0. On failure all PEs return nonzero, with a
 * message, and no heap exists. shmemx_device_heap_destroy: frees the heap with all its blocks, as
 * shmem_finalize does. Returns 0 or nonzero in the same way.
 *
 * shmemx_device_heap_malloc, shmemx_device_heap_align: a block, which corresponds to the block of
 * the same call in the heap of each other PE. It is valid as the remote argument of puts, gets,
 * signals and atomics, and as an array of collectives, with the rules of shmemx_buffer_register. It
 * is not cleared. Its alignment is 256 bytes, or "alignment", a power of two of at most a page.
 * Returns NULL on all PEs, with a message, if the heap is full; NULL for 0 bytes.
 * shmemx_device_heap_free: frees a block. NULL has no effect.
 */
#define SHMEMX_DEVICE_HEAP 1
int shmemx_device_heap_create(int device, size_t bytes);
int shmemx_device_heap_destroy(void);
void* shmemx_device_heap_malloc(size_t bytes);
void* shmemx_device_heap_align(size_t alignment, size_t bytes);
void shmemx_device_heap_free(void* addr);

/*
 * Blocks of memory at any PE, which that PE does not help to allocate or free. On the PE's node
 * these calls take no lock and send no message; from other nodes its node agent executes them. A
 * block belongs to no PE: any PE may free it, and unless it is owned, it outlives the PE that
 * allocated it. Its address is a global pointer, which any PE may use. shmem_finalize ends all
 * blocks.
 *
 * shmemx_malloc_at: a block of "bytes" bytes at "pe", a PE of the job, aligned to 64 bytes. It is
 * not cleared. Returns a null pointer, with a message, if the remote heap of that PE is full
 * (GONDWANA_REMOTE_HEAP is its size) or its node is lost; and for 0 bytes.
 * shmemx_malloc_at_owned: the same for a block that ends with the calling PE: once this PE has died
 * or left the job, the block may be allocated again at any time.
 * shmemx_free_at: frees a block; a null pointer has no effect. Returns 0, or nonzero, with a
 * message, if the pointer is not that of an allocated block; nothing changes then. Complete the
 * operations of other contexts and PEs on the block first.
 *
 * shmemx_gptr_addr: the address that names the memory in all other routines of OpenSHMEM, together
 * with the number of the PE: shmem_long_atomic_inc(shmemx_gptr_addr(p), p.pe). Only at p.pe itself
 * is it also the address of the bytes. NULL, with a message, if the pointer is not valid.
 * shmemx_gptr_ptr: the address for loads and stores; NULL if they do not reach that PE.
 * shmemx_gptr_accumulate: adds "count" elements to those at "dest". No other accumulate changes an
 * element at the same time. "source" may be reused on return; shmem_quiet completes the call.
 * Returns 0, or nonzero, with a message, for wrong arguments.
 *
 * shmemx_gptr_pack stores a pointer in one word, for atomics: 0 is the null pointer. The low three
 * bits of a pointer to an aligned word are 0, so a program may use them.
 */
#define SHMEMX_GPTR 1
typedef struct {
  uint64_t offset; /* in the memory of the PE; 0: a null pointer */
  int32_t pe;
  uint32_t space; /* 0: host memory. Other values are reserved. */
} shmemx_gptr_t;

enum { SHMEMX_INT32, SHMEMX_INT64, SHMEMX_FLOAT, SHMEMX_DOUBLE };

shmemx_gptr_t shmemx_malloc_at(int pe, size_t bytes);
shmemx_gptr_t shmemx_malloc_at_owned(int pe, size_t bytes);
int shmemx_free_at(shmemx_gptr_t block);
void* shmemx_gptr_addr(shmemx_gptr_t p);
void* shmemx_gptr_ptr(shmemx_gptr_t p);
int shmemx_gptr_accumulate(shmemx_gptr_t dest, const void* source, size_t count, int type);

static inline int shmemx_gptr_is_null(shmemx_gptr_t p) {
  return p.offset == 0;
}
static inline shmemx_gptr_t shmemx_gptr_add(shmemx_gptr_t p, ptrdiff_t bytes) {
  p.offset += (uint64_t)bytes;
  return p;
}
static inline uint64_t shmemx_gptr_pack(shmemx_gptr_t p) {
  return p.offset == 0 ? 0 : (uint64_t)(uint32_t)p.pe << 44 | p.offset;
}
static inline shmemx_gptr_t shmemx_gptr_unpack(uint64_t word) {
  shmemx_gptr_t p;
  p.offset = word & (((uint64_t)1 << 44) - 1);
  p.pe = (int32_t)(word >> 44);
  p.space = 0;
  return p;
}
static inline void shmemx_gptr_put(shmemx_gptr_t dest, const void* source, size_t bytes) {
  shmem_putmem(shmemx_gptr_addr(dest), source, bytes, dest.pe);
}
static inline void shmemx_gptr_get(void* dest, shmemx_gptr_t source, size_t bytes) {
  shmem_getmem(dest, shmemx_gptr_addr(source), bytes, source.pe);
}
static inline uint64_t shmemx_gptr_atomic_fetch(shmemx_gptr_t p) {
  return shmem_uint64_atomic_fetch((const uint64_t*)shmemx_gptr_addr(p), p.pe);
}
static inline void shmemx_gptr_atomic_set(shmemx_gptr_t p, uint64_t value) {
  shmem_uint64_atomic_set((uint64_t*)shmemx_gptr_addr(p), value, p.pe);
}
static inline uint64_t shmemx_gptr_atomic_swap(shmemx_gptr_t p, uint64_t value) {
  return shmem_uint64_atomic_swap((uint64_t*)shmemx_gptr_addr(p), value, p.pe);
}
static inline uint64_t shmemx_gptr_atomic_fetch_add(shmemx_gptr_t p, uint64_t value) {
  return shmem_uint64_atomic_fetch_add((uint64_t*)shmemx_gptr_addr(p), value, p.pe);
}
static inline uint64_t shmemx_gptr_atomic_compare_swap(shmemx_gptr_t p, uint64_t expected,
                                                       uint64_t value) {
  return shmem_uint64_atomic_compare_swap((uint64_t*)shmemx_gptr_addr(p), expected, value, p.pe);
}

/*
 * Calls on a stream of CUDA (a cudaStream_t or CUstream) or ROCm (a hipStream_t). A call runs after
 * the earlier work of the stream and before its later work, and returns at once. The memory that it
 * names must stay valid until it is done. shmem_finalize waits for all of them. A thread of the
 * library runs the calls, so the program needs SHMEM_THREAD_MULTIPLE. Collectives must have the
 * same order as those of other threads.
 *
 * shmemx_streams: 1 if this process has a CUDA or ROCm device, otherwise 0. With 0, no stream has
 * work: calls with stream 0 (NULL) run at once, and another stream ends the job with a message. May
 * be called at any time. The result becomes 1 when the program loads a driver.
 * shmemx_quiet_streams: returns when all calls on streams are done.
 *
 * shmemx_call_on_stream: runs a function in that thread, for any other calls, such as collectives
 * and atomics. The other functions correspond to the routines without _on_stream.
 */
#define SHMEMX_STREAMS 1
int shmemx_streams(void);
void shmemx_quiet_streams(void);
void shmemx_call_on_stream(void (*call)(void*), void* argument, void* stream);
void shmemx_putmem_on_stream(void* dest, const void* source, size_t bytes, int pe, void* stream);
void shmemx_getmem_on_stream(void* dest, const void* source, size_t bytes, int pe, void* stream);
void shmemx_putmem_signal_on_stream(void* dest, const void* source, size_t bytes,
                                    uint64_t* sig_addr, uint64_t signal, int sig_op, int pe,
                                    void* stream);
void shmemx_signal_wait_until_on_stream(uint64_t* sig_addr, int cmp, uint64_t cmp_value,
                                        void* stream);
void shmemx_barrier_all_on_stream(void* stream);

/*
 * One signal for many puts. Updates the symmetric word "sig_addr" of "pe" as shmem_put_signal does,
 * once all earlier puts of this context to "pe", blocking and non-blocking, are visible there. It
 * does not order later operations, unlike shmem_fence, and does not wait for "pe": on another node
 * the signal follows the puts. It waits for non-blocking puts above GONDWANA_EAGER_LIMIT bytes and
 * for copies of devices. The sources of non-blocking puts may be reused after shmem_quiet.
 */
#define SHMEMX_SIGNAL_AFTER 1
void shmemx_signal_after(uint64_t* sig_addr, uint64_t signal, int sig_op, int pe);
void shmemx_ctx_signal_after(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int sig_op,
                             int pe);

/*
 * Calls for jobs that continue after the death of a PE: gondwana run --on-death=continue. Without
 * this option the first death ends the job.
 *
 * Once a PE has died, a call that needs it returns without effect and its context holds the
 * failure. Such calls are transfers, atomics and signals to that PE, and all collectives and locks
 * that wait for it. Collectives that return a value return nonzero, or NULL. A wait for a word that
 * any PE may write returns early, unless the program knows of all deaths. The effect is visible
 * within milliseconds of the death. shmem_ptr still returns the memory of a dead PE.
 *
 * shmemx_pe_state: SHMEMX_PE_ALIVE, SHMEMX_PE_DEAD, SHMEMX_PE_LEFT after shmemx_leave, or
 * SHMEMX_PE_JOINING from shmemx_spawn until the PE has initialized; -1 if "pe" is no PE. Local.
 * shmemx_status: 0, or SHMEMX_ERR_DEAD_PE if a call on this context has failed since the last call
 * of shmemx_status. The default context holds the failures of collectives, waits and locks. From
 * now on the program knows of the deaths that made the calls fail. Local.
 *
 * shmemx_team_shrink: makes a team of the members of "team" that live, in their order. Collective
 * over the members that live. All of them get the same members, also if more die during the call. A
 * PE that dies during the call may still be a member. The program then knows of the deaths before.
 * Returns 0, or nonzero on all of them, with a message, if no team number is free. "team" stays
 * valid.
 *
 * shmemx_TYPENAME_wait_until_timeout: like shmem_TYPENAME_wait_until, for at most timeout_us
 * microseconds, which it may exceed by a millisecond. Returns 0 if the condition holds,
 * SHMEMX_ERR_TIMEOUT after that time, or SHMEMX_ERR_DEAD_PE if a PE has died of which the program
 * does not know.
 */
#define SHMEMX_DEATHS 1
#define SHMEMX_PE_ALIVE 0
#define SHMEMX_PE_DEAD 1
#define SHMEMX_PE_LEFT 2
#define SHMEMX_PE_JOINING 3
#define SHMEMX_ERR_DEAD_PE 1
#define SHMEMX_ERR_TIMEOUT 2
int shmemx_pe_state(int pe);
int shmemx_status(shmem_ctx_t ctx);
int shmemx_team_shrink(shmem_team_t team, shmem_team_t* new_team);
int shmemx_int_wait_until_timeout(int* ivar, int cmp, int cmp_value, uint64_t timeout_us);
int shmemx_long_wait_until_timeout(long* ivar, int cmp, long cmp_value, uint64_t timeout_us);
int shmemx_longlong_wait_until_timeout(long long* ivar, int cmp, long long cmp_value,
                                       uint64_t timeout_us);
int shmemx_uint_wait_until_timeout(unsigned int* ivar, int cmp, unsigned int cmp_value,
                                   uint64_t timeout_us);
int shmemx_ulong_wait_until_timeout(unsigned long* ivar, int cmp, unsigned long cmp_value,
                                    uint64_t timeout_us);
int shmemx_ulonglong_wait_until_timeout(unsigned long long* ivar, int cmp,
                                        unsigned long long cmp_value, uint64_t timeout_us);
int shmemx_int32_wait_until_timeout(int32_t* ivar, int cmp, int32_t cmp_value, uint64_t timeout_us);
int shmemx_int64_wait_until_timeout(int64_t* ivar, int cmp, int64_t cmp_value, uint64_t timeout_us);
int shmemx_uint32_wait_until_timeout(uint32_t* ivar, int cmp, uint32_t cmp_value,
                                     uint64_t timeout_us);
int shmemx_uint64_wait_until_timeout(uint64_t* ivar, int cmp, uint64_t cmp_value,
                                     uint64_t timeout_us);
int shmemx_size_wait_until_timeout(size_t* ivar, int cmp, size_t cmp_value, uint64_t timeout_us);
int shmemx_ptrdiff_wait_until_timeout(ptrdiff_t* ivar, int cmp, ptrdiff_t cmp_value,
                                      uint64_t timeout_us);

/*
 * Calls for jobs that grow and shrink while they run: gondwana run --max-ranks M -n N. Programs
 * that use GASNet-EX or ARMCI cannot grow, nor can a job on one host of --hosts.
 *
 * shmemx_spawn: starts npes more PEs, by one PE. "argv" is their command line, which ends with
 * NULL: another run of the program, possibly with other arguments; NULL: the command line of this
 * PE. "hosts" names hosts as gondwana run --hosts does, in a job on several hosts; NULL: those of
 * the job. The numbers of the new PEs follow those of all others. Returns the first of them once
 * all have initialized. Returns -1, with a message, if the job may not have that many, or
 * if they cannot be started; the job continues.
 *
 * The new PEs have a world of their own: SHMEM_TEAM_WORLD contains those that were started
 * together, and shmem_my_pe() is their number in the job. Between all PEs that have initialized,
 * transfers, atomics, signals and locks work at once, by these numbers. Teams that exist stay as
 * they are. A new PE cannot allocate symmetric memory before its first shmemx_team_update.
 *
 * shmemx_team_update: makes a world of all PEs that live, old and new. Collective over all of them,
 * also if more die or join during the call; a PE that joins too late is part of the next update.
 * SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED then contain these PEs, in the order of their numbers,
 * shmem_n_pes() exceeds all numbers, and blocks of the symmetric heap exist on the new PEs, too, at
 * the same addresses and with unspecified contents. "new_team", if not NULL, becomes a further team
 * of the same PEs, which later updates do not change. Returns 0, or SHMEMX_ERR_DEAD_PE if a PE died
 * before the update was complete: call it again. Returns -1 on all of them, with a message, if no
 * team number is free, or if buffers are registered or a heap on devices exists.
 *
 * shmemx_leave: ends the part of this PE in the job, and shmem_finalize is not called. The others
 * continue, and its number is not used again. They know it as they know a dead PE, but waits for
 * words continue. Returns 0, or nonzero with a message. Local, apart from the completion of all
 * operations of this PE.
 *
 * shmemx_roster_epoch: counts the PEs that have joined, died or left since the start of the job.
 * shmemx_roster_changed: 1 if that count differs from *epoch, which gets the present count, else 0.
 * shmemx_roster_wait: waits until that count differs from "epoch", for at most timeout_us
 * microseconds. Returns 0, or SHMEMX_ERR_TIMEOUT. All three are local.
 */
#define SHMEMX_ROSTER 1
int shmemx_spawn(int npes, const char* const* argv, const char* hosts);
int shmemx_team_update(shmem_team_t* new_team);
int shmemx_leave(void);
uint64_t shmemx_roster_epoch(void);
int shmemx_roster_changed(uint64_t* epoch);
int shmemx_roster_wait(uint64_t epoch, uint64_t timeout_us);

/*
 * Calls for jobs that start a dead PE again: gondwana run --restart N. The new process has the same
 * number. Its memory is empty, or as the former process left it (--keep-memory). It runs main()
 * from the beginning, and shmem_init returns without the others. Until then the PE is dead. Then
 * transfers, atomics and signals reach the new process. Teams with the former process stay broken;
 * shmemx_team_update makes a world with the new one.
 *
 * shmemx_is_restarted: how often this PE has been started again; 0 in its first process. Local.
 * shmemx_pe_restarts: the same for any PE; -1 if "pe" is no PE. Local.
 */
#define SHMEMX_RESTARTS 1
int shmemx_is_restarted(void);
int shmemx_pe_restarts(int pe);

#ifdef __cplusplus
} /* extern "C" */

/* A region that lasts for the lifetime of the object. */
class shmemx_region {
 public:
  explicit shmemx_region(const char* name) { shmemx_region_begin(name); }
  ~shmemx_region() { shmemx_region_end(); }

 private:
  shmemx_region(const shmemx_region&);
  shmemx_region& operator=(const shmemx_region&);
};
#endif

#endif /* GONDWANA_SHMEMX_H */
