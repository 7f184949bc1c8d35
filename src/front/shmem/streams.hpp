// Calls that take a stream. They run after the earlier work of the stream and before its later
// work. See include/shmemx.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

bool streams_have_work();
// Returns when all queued calls are done. Ends the job if a stream has lost one.
void quiet_streams(CallName call);
// Called when the library ends: returns when all queued calls are done.
void end_streams(CallName call);

void call_on_stream(const Caller& caller, void (*call)(void*), void* argument, void* stream);
void put_on_stream(const Caller& caller, void* dest, const void* source, std::size_t bytes, int pe,
                   void* stream);
void get_on_stream(const Caller& caller, void* dest, const void* source, std::size_t bytes, int pe,
                   void* stream);
void put_signal_on_stream(const Caller& caller, void* dest, const void* source, std::size_t bytes,
                          std::uint64_t* word, std::uint64_t value, int op, int pe, void* stream);
void signal_wait_on_stream(const Caller& caller, std::uint64_t* word, int cmp, std::uint64_t value,
                           void* stream);
void barrier_on_stream(const Caller& caller, void* stream);

}  // namespace gondwana::shmem
