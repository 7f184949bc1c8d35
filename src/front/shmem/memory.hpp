// OpenSHMEM 1.6, section 9.3: the symmetric heap. Collective: the same calls with the same sizes in
// the same order on every rank.
#pragma once

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

void* heap_malloc(Caller caller, std::size_t size);
void* heap_calloc(Caller caller, std::size_t count, std::size_t size);
// Hints say what the memory is used for. All of it serves atomics and signals alike, so hints
// change nothing, and unknown ones are ignored.
void* heap_malloc_with_hints(Caller caller, std::size_t size, long hints);
// Null where `alignment` is no power of two.
void* heap_align(Caller caller, std::size_t alignment, std::size_t size);
void* heap_realloc(Caller caller, void* block, std::size_t size);
void heap_free(Caller caller, void* block);

}  // namespace gondwana::shmem
