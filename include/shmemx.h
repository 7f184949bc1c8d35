/*
 * Gondwana's extensions to OpenSHMEM. Every name here begins with shmemx_ or SHMEMX_.
 */
#ifndef GONDWANA_SHMEMX_H
#define GONDWANA_SHMEMX_H

#include <stddef.h>

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Names what the calling thread does from here to the matching end. Regions may be nested.
 *
 * A traced job shows each as a slice with the calls within it. The first 47 bytes of the name
 * count, and up to 1000 different names. Where a tool has loaded the NVTX library, each is an NVTX
 * range too. Otherwise both calls return at once. Not collective; before shmem_init a region is no
 * error and is not shown. An end without a begin does nothing; GONDWANA_DEBUG=yes warns of it,
 * once.
 */
#define SHMEMX_REGIONS 1
void shmemx_region_begin(const char* name);
void shmemx_region_end(void);

/*
 * Lets all PEs put to, get from and update memory of the program's own: of malloc, mmap, another
 * library. Collective over all PEs. Each PE gives its own buffer; sizes may differ, and a PE
 * without one gives NULL or 0 bytes.
 *
 * From then on an address within the buffer of the caller may be the remote argument of put, get
 * (p, g, iput, iget, _nbi and size variants), put_signal and atomic calls: it stands for the same
 * distance from the beginning of the buffer of the target PE, and must lie within that. A
 * collective takes it as dest or source if all its PEs name the same buffer. Locks do not take it.
 * wait_until and test take addresses in the own buffer. Effects are visible as in symmetric memory.
 *
 * Whole pages become shared memory, at the same address, with all else that they contain: while the
 * call runs no thread may write there. The buffer must stay where it is: not freed, resized or
 * unmapped before it is unregistered, which shmem_finalize does for what is left. Stacks, read-only
 * memory and MAP_SHARED memory without an open file are refused. Buffers must not overlap. A child
 * that is forked gets a copy.
 *
 * Returns 0; otherwise, on all PEs alike, a value other than 0: nothing is registered, and a PE
 * whose buffer cannot be shared prints why. Needs 32 bytes for each PE in the symmetric heap.
 *
 * Memory of a device, too (see below): peers reach it by copies of the device, and the processor
 * does not: shmem_ptr returns NULL.
 */
#define SHMEMX_BUFFERS 1
int shmemx_buffer_register(void* addr, size_t bytes);

/*
 * Ends it. Collective; each PE gives the address that it registered, NULL if it had no buffer.
 * Puts to the buffer must be complete (shmem_quiet) before. The memory is private again, with its
 * contents. Returns 0; otherwise, on all PEs alike, a value other than 0: a PE gave an address that
 * is not the beginning of its buffer, or not all PEs meant the same buffer.
 */
int shmemx_buffer_unregister(void* addr);

/*
 * Memory of devices. The processor faults where it touches such memory; what takes its addresses
 * are these calls, shmemx_buffer_register, and the local argument of put, get and put_signal. Where
 * it is registered, the remote argument too, and collectives.
 * GONDWANA_KINDS says which devices of vendors are looked for, GONDWANA_EMULATED_DEVICES how many
 * emulated ones each PE has. Not collective; after shmem_init.
 *
 * shmemx_devices: how many devices this PE has; they are numbered from 0. shmemx_device_name: the
 * name of one, "emulated:0", at most "bytes" with the 0 at the end. Returns 0, or another value if
 * there is no such device. shmemx_device_of: on which one an address lies; -1: in memory of the
 * host. shmemx_device_malloc: zeroed memory of this PE, aligned to a cache line; NULL, with a
 * message, if it cannot be had. shmem_finalize frees what is left, unless the program uses another
 * API of Gondwana: then the end of that does. shmemx_device_free: of a pointer that
 * shmemx_device_malloc has returned; NULL does nothing. It must not be registered any more.
 * shmemx_device_memcpy: between memory of this PE, each side of the host or of any device; complete
 * on return. 0, or another value, with a message, if the bytes are not in one allocation.
 */
#define SHMEMX_DEVICES 1
int shmemx_devices(void);
int shmemx_device_name(int device, char* name, size_t bytes);
int shmemx_device_of(const void* addr);
void* shmemx_device_malloc(int device, size_t bytes);
void shmemx_device_free(void* addr);
int shmemx_device_memcpy(void* dest, const void* source, size_t bytes);

/*
 * A symmetric heap on devices, beside the one of the host. All are collective over all PEs and
 * between barriers, as shmem_malloc and shmem_free are. One heap at a time.
 *
 * shmemx_device_heap_create: of that many bytes on a device of each PE. "bytes" is the same on all
 * PEs, "device" need not be. 0; otherwise, on all PEs alike, a value other than 0, with a message:
 * there is no heap. shmemx_device_heap_destroy: frees it with all its blocks, as shmem_finalize
 * does. Returns 0 likewise.
 *
 * shmemx_device_heap_malloc, shmemx_device_heap_align: a block, which stands for the block of the
 * same call in the heap of each other PE: the remote argument of puts, gets, signals and atomics,
 * and an array of collectives, with the rules of shmemx_buffer_register. It is not cleared. Its
 * alignment is 256 bytes, or "alignment", a power of two of at most a page. NULL on all PEs, with a
 * message, if the heap is full; NULL for 0 bytes. shmemx_device_heap_free: NULL does nothing.
 */
#define SHMEMX_DEVICE_HEAP 1
int shmemx_device_heap_create(int device, size_t bytes);
int shmemx_device_heap_destroy(void);
void* shmemx_device_heap_malloc(size_t bytes);
void* shmemx_device_heap_align(size_t alignment, size_t bytes);
void shmemx_device_heap_free(void* addr);

/*
 * Calls behind the work of a stream of CUDA (a cudaStream_t or CUstream) or of ROCm (a
 * hipStream_t): each is done when the stream has done what it was given before, and what it is
 * given later begins behind it. They return at once. Memory that they name must stay until they are
 * done; shmem_finalize waits for them. A thread of the library does them, so the program needs
 * SHMEM_THREAD_MULTIPLE. Collectives come in one order with those of other threads.
 *
 * shmemx_streams: 1 if this process has a device of CUDA or ROCm, otherwise 0. Then no stream has
 * work: calls with stream 0 (NULL) are done at once, and another stream ends the job with a
 * message. May be called at any time; the answer becomes 1 when the program loads a driver.
 * shmemx_quiet_streams: returns when all calls behind streams are done.
 *
 * shmemx_call_on_stream: any calls, such as collectives and atomics. The function runs in that
 * thread. The others: as the routine without _on_stream.
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

#ifdef __cplusplus
} /* extern "C" */

/* The region is the scope of the object. */
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
