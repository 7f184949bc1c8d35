#include "front/shmem/memory.hpp"

#include <bit>

#include "core/mapping.hpp"
#include "core/print_error.hpp"
#include "front/shmem/checks.hpp"
#include "front/shmem/sync.hpp"

namespace gondwana::shmem {
namespace {

// The standard's result for a full heap is a null pointer. The message adds the reason and the
// remedy.
void explain_full_heap(const Caller& caller, std::size_t size) {
  if (caller.engine.rank() != Rank(0)) return;
  const SymmetricMemory& memory = caller.engine.symmetric();
  print_error(
      "gondwana: rank 0: {} of {}: the largest free piece of the symmetric heap of {} is {}; "
      "raise GONDWANA_HEAP_SIZE\n",
      caller.name, format_size(size), format_size(memory.heap_size()),
      format_size(memory.largest_free()));
}

void explain_alignment(const Caller& caller, std::size_t alignment) {
  if (caller.engine.rank() != Rank(0)) return;
  print_error("gondwana: rank 0: {}: cannot align a block to {}; expected {} or less\n",
              caller.name, format_size(alignment), format_size(arena_alignment));
}

// All ranks must make the same calls, or their heaps would differ.
void examine_heap_call(const Caller& caller, const std::string& details) {
  if (caller.checks_enabled()) examine_collective(caller, caller.engine.teams().world(), details);
}

std::size_t offset_of(const Caller& caller, const void* block) {
  return caller.engine.symmetric().ranges().offset_of(block, 1);
}

void* finish_allocation(const Caller& caller, void* block, std::size_t size) {
  if (block == nullptr) explain_full_heap(caller, size);
  caller.engine.kinds().open_used();
  barrier_all(caller);
  return block;
}

void* require_block(const Caller& caller, void* block) {
  if (caller.engine.symmetric().size_of(block) == 0)
    give_up(caller.name,
            fmt::format("{} is not the start of a block of the symmetric heap (freed twice, "
                        "or not from shmem_malloc?)",
                        fmt::ptr(block)));
  return block;
}

}  // namespace

void* heap_malloc(Caller caller, std::size_t size) {
  return heap_align(caller, Heap::granule, size);
}

void* heap_malloc_with_hints(Caller caller, std::size_t size, long hints) {
  examine_heap_call(caller, fmt::format("hints {:#x}", hints));
  return heap_malloc(caller, size);
}

void* heap_calloc(Caller caller, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = ~std::size_t{0} / 2;
  if (bytes == 0) return nullptr;
  examine_heap_call(caller, fmt::format("{} bytes", bytes));
  return finish_allocation(caller, caller.engine.symmetric().allocate_zeroed(bytes), bytes);
}

void* heap_align(Caller caller, std::size_t alignment, std::size_t size) {
  if (size == 0) return nullptr;
  examine_heap_call(caller, fmt::format("{} bytes aligned to {}", size, alignment));
  if (!std::has_single_bit(alignment)) return nullptr;
  if (alignment > arena_alignment) {
    explain_alignment(caller, alignment);
    return nullptr;
  }
  return finish_allocation(caller, caller.engine.symmetric().allocate(size, alignment), size);
}

void* heap_realloc(Caller caller, void* block, std::size_t size) {
  if (block == nullptr) return heap_malloc(caller, size);
  if (size == 0) {
    heap_free(caller, block);
    return nullptr;
  }
  examine_heap_call(caller, fmt::format("{} bytes, block at symmetric offset {:#x}", size,
                                        offset_of(caller, block)));
  barrier_all(caller);  // no rank uses the old block after the barrier
  require_block(caller, block);
  return finish_allocation(caller, caller.engine.symmetric().resize(block, size), size);
}

void heap_free(Caller caller, void* block) {
  if (block == nullptr) return;
  examine_heap_call(caller,
                    fmt::format("block at symmetric offset {:#x}", offset_of(caller, block)));
  barrier_all(caller);  // no rank uses the block after the barrier
  caller.engine.symmetric().release(require_block(caller, block));
}

}  // namespace gondwana::shmem
