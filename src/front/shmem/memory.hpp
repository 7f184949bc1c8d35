// OpenSHMEM 1.6, section 9.3: the symmetric heap. All calls are collective: every rank makes them
// with the same sizes in the same order.
#pragma once

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

void* heap_malloc(Caller caller, std::size_t size);
void* heap_calloc(Caller caller, std::size_t count, std::size_t size);
// Hints describe the use of the memory. They have no effect, because all memory serves atomics and
// signals equally well. Unknown hints are ignored.
void* heap_malloc_with_hints(Caller caller, std::size_t size, long hints);
// Returns null if `alignment` is not a power of two.
void* heap_align(Caller caller, std::size_t alignment, std::size_t size);
void* heap_realloc(Caller caller, void* block, std::size_t size);
void heap_free(Caller caller, void* block);

}  // namespace gondwana::shmem
