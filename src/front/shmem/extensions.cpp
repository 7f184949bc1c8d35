// Gondwana's extensions to OpenSHMEM: start by a unique id, regions that a program names,
// registered buffers, device memory, a symmetric heap on devices, blocks at any PE, and calls on
// streams.
#include <atomic>

#include "core/print_error.hpp"
#include "front/shmem/blocks.hpp"
#include "front/shmem/buffers.hpp"
#include "front/shmem/deaths.hpp"
#include "front/shmem/device_heap.hpp"
#include "front/shmem/devices.hpp"
#include "front/shmem/door.hpp"
#include "front/shmem/roster.hpp"
#include "front/shmem/setup.hpp"
#include "front/shmem/streams.hpp"
#include "front/shmem/unique_id.hpp"
#include "shmemx.h"
#include "tracing/regions.hpp"

namespace gondwana::shmem {
namespace {

// Warns once, and only if calls are checked.
[[gnu::noinline, gnu::cold]] void warn_unbalanced_end() {
  static constinit std::atomic<bool> is_told{false};
  if (running.watched == nullptr || is_told.exchange(true)) return;
  print_error(
      "gondwana: warning: rank {}: shmemx_region_end: this thread has no open region, so the call "
      "has no effect; call shmemx_region_begin first, in the same thread\n",
      index(running.watched->engine().rank()));
}

// A collective over all PEs, some of which may die.
template <typename Call>
auto meet(const Call& call) {
  try {
    return call();
  } catch (const HopelessWait& hopeless) {
    return lost<decltype(call())>(hopeless);
  }
}

}  // namespace
}  // namespace gondwana::shmem

extern "C" {

int shmemx_get_uniqueid(shmemx_uniqueid_t* uniqueid) {
  return gondwana::shmem::get_uniqueid("shmemx_get_uniqueid", uniqueid);
}

int shmemx_set_attr_uniqueid_args(int rank, int nranks, const shmemx_uniqueid_t* uniqueid,
                                  shmemx_init_attr_t* attr) {
  return gondwana::shmem::set_attr_uniqueid_args("shmemx_set_attr_uniqueid_args", rank, nranks,
                                                 uniqueid, attr);
}

int shmemx_init_attr(unsigned int flags, shmemx_init_attr_t* attr) {
  return gondwana::shmem::init_attr("shmemx_init_attr", flags, attr);
}

shmemx_gptr_t shmemx_malloc_at(int pe, size_t bytes) {
  return gondwana::shmem::malloc_at(gondwana::shmem::here("shmemx_malloc_at"), pe, bytes);
}

shmemx_gptr_t shmemx_malloc_at_owned(int pe, size_t bytes) {
  return gondwana::shmem::malloc_at_owned(gondwana::shmem::here("shmemx_malloc_at_owned"), pe,
                                          bytes);
}

int shmemx_free_at(shmemx_gptr_t block) {
  return gondwana::shmem::free_at(gondwana::shmem::here("shmemx_free_at"), block);
}

void* shmemx_gptr_addr(shmemx_gptr_t p) {
  return gondwana::shmem::address_of(gondwana::shmem::here("shmemx_gptr_addr"), p);
}

void* shmemx_gptr_ptr(shmemx_gptr_t p) {
  return gondwana::shmem::pointer_to(gondwana::shmem::here("shmemx_gptr_ptr"), p);
}

int shmemx_gptr_accumulate(shmemx_gptr_t dest, const void* source, size_t count, int type) {
  return gondwana::shmem::accumulate_at(gondwana::shmem::here("shmemx_gptr_accumulate"), dest,
                                        source, count, type);
}

void shmemx_region_begin(const char* name) {
  if (gondwana::Regions::are_used()) [[unlikely]]
    gondwana::Regions::begin(name);
}

void shmemx_region_end(void) {
  if (gondwana::Regions::are_used()) [[unlikely]]
    if (!gondwana::Regions::end()) gondwana::shmem::warn_unbalanced_end();
}

int shmemx_buffer_register(void* addr, size_t bytes) {
  return gondwana::shmem::meet([&] {
    return gondwana::shmem::register_buffer(gondwana::shmem::here("shmemx_buffer_register"), addr,
                                            bytes);
  });
}

int shmemx_buffer_unregister(void* addr) {
  return gondwana::shmem::meet([&] {
    return gondwana::shmem::unregister_buffer(gondwana::shmem::here("shmemx_buffer_unregister"),
                                              addr);
  });
}

int shmemx_devices(void) {
  return gondwana::shmem::devices(gondwana::shmem::here("shmemx_devices"));
}

int shmemx_device_name(int device, char* name, size_t bytes) {
  return gondwana::shmem::device_name(gondwana::shmem::here("shmemx_device_name"), device, name,
                                      bytes);
}

int shmemx_device_of(const void* addr) {
  return gondwana::shmem::device_of(gondwana::shmem::here("shmemx_device_of"), addr);
}

void* shmemx_device_malloc(int device, size_t bytes) {
  return gondwana::shmem::device_malloc(gondwana::shmem::here("shmemx_device_malloc"), device,
                                        bytes);
}

void shmemx_device_free(void* addr) {
  gondwana::shmem::device_free(gondwana::shmem::here("shmemx_device_free"), addr);
}

int shmemx_device_memcpy(void* dest, const void* source, size_t bytes) {
  return gondwana::shmem::device_memcpy(gondwana::shmem::here("shmemx_device_memcpy"), dest, source,
                                        bytes);
}

int shmemx_device_heap_create(int device, size_t bytes) {
  return gondwana::shmem::meet([&] {
    return gondwana::shmem::device_heap_create(gondwana::shmem::here("shmemx_device_heap_create"),
                                               device, bytes);
  });
}

int shmemx_device_heap_destroy(void) {
  return gondwana::shmem::meet([&] {
    return gondwana::shmem::device_heap_destroy(
        gondwana::shmem::here("shmemx_device_heap_destroy"));
  });
}

void* shmemx_device_heap_malloc(size_t bytes) {
  return gondwana::shmem::meet([&] {
    return gondwana::shmem::device_heap_malloc(gondwana::shmem::here("shmemx_device_heap_malloc"),
                                               bytes);
  });
}

void* shmemx_device_heap_align(size_t alignment, size_t bytes) {
  return gondwana::shmem::meet([&] {
    return gondwana::shmem::device_heap_align(gondwana::shmem::here("shmemx_device_heap_align"),
                                              alignment, bytes);
  });
}

void shmemx_device_heap_free(void* addr) {
  gondwana::shmem::meet([&] {
    gondwana::shmem::device_heap_free(gondwana::shmem::here("shmemx_device_heap_free"), addr);
  });
}

int shmemx_streams(void) {
  return gondwana::shmem::streams_have_work() ? 1 : 0;
}

void shmemx_quiet_streams(void) {
  gondwana::shmem::quiet_streams("shmemx_quiet_streams");
}

void shmemx_call_on_stream(void (*call)(void*), void* argument, void* stream) {
  gondwana::shmem::call_on_stream(gondwana::shmem::here("shmemx_call_on_stream"), call, argument,
                                  stream);
}

void shmemx_putmem_on_stream(void* dest, const void* source, size_t bytes, int pe, void* stream) {
  gondwana::shmem::put_on_stream(gondwana::shmem::here("shmemx_putmem_on_stream"), dest, source,
                                 bytes, pe, stream);
}

void shmemx_getmem_on_stream(void* dest, const void* source, size_t bytes, int pe, void* stream) {
  gondwana::shmem::get_on_stream(gondwana::shmem::here("shmemx_getmem_on_stream"), dest, source,
                                 bytes, pe, stream);
}

// NOLINTNEXTLINE(readability-function-size): NVSHMEM's arguments
void shmemx_putmem_signal_on_stream(void* dest, const void* source, size_t bytes,
                                    uint64_t* sig_addr, uint64_t signal, int sig_op, int pe,
                                    void* stream) {
  gondwana::shmem::put_signal_on_stream(gondwana::shmem::here("shmemx_putmem_signal_on_stream"),
                                        dest, source, bytes, sig_addr, signal, sig_op, pe, stream);
}

void shmemx_signal_wait_until_on_stream(uint64_t* sig_addr, int cmp, uint64_t cmp_value,
                                        void* stream) {
  gondwana::shmem::signal_wait_on_stream(
      gondwana::shmem::here("shmemx_signal_wait_until_on_stream"), sig_addr, cmp, cmp_value,
      stream);
}

void shmemx_barrier_all_on_stream(void* stream) {
  gondwana::shmem::barrier_on_stream(gondwana::shmem::here("shmemx_barrier_all_on_stream"), stream);
}

int shmemx_pe_state(int pe) {
  return gondwana::shmem::pe_state(gondwana::shmem::here("shmemx_pe_state"), pe);
}

int shmemx_pe_restarts(int pe) {
  return gondwana::shmem::pe_restarts(gondwana::shmem::here("shmemx_pe_restarts"), pe);
}

int shmemx_is_restarted(void) {
  const gondwana::shmem::Caller caller = gondwana::shmem::here("shmemx_is_restarted");
  return gondwana::shmem::pe_restarts(caller, gondwana::shmem::my_pe(caller));
}

int shmemx_status(shmem_ctx_t ctx) {
  return gondwana::shmem::status(gondwana::shmem::in(ctx, "shmemx_status"));
}

int shmemx_team_shrink(shmem_team_t team, shmem_team_t* new_team) {
  return gondwana::shmem::team_shrink(gondwana::shmem::here("shmemx_team_shrink"), team, new_team);
}

int shmemx_spawn(int npes, const char* const* argv, const char* hosts) {
  return gondwana::shmem::spawn(gondwana::shmem::here("shmemx_spawn"), npes, argv, hosts);
}

int shmemx_team_update(shmem_team_t* new_team) {
  return gondwana::shmem::meet([=] {
    return gondwana::shmem::team_update(gondwana::shmem::here("shmemx_team_update"), new_team);
  });
}

int shmemx_leave(void) {
  return gondwana::shmem::leave(gondwana::shmem::here("shmemx_leave"));
}

uint64_t shmemx_roster_epoch(void) {
  return gondwana::shmem::roster_epoch(gondwana::shmem::here("shmemx_roster_epoch"));
}

int shmemx_roster_changed(uint64_t* epoch) {
  return gondwana::shmem::roster_changed(gondwana::shmem::here("shmemx_roster_changed"), epoch);
}

int shmemx_roster_wait(uint64_t epoch, uint64_t timeout_us) {
  return gondwana::shmem::roster_wait(gondwana::shmem::here("shmemx_roster_wait"), epoch,
                                      timeout_us);
}

}  // extern "C"
