#include "front/shmem/memory.hpp"

#include <bit>
#include <optional>

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

// A rank that joined later gets the blocks of the others with its first world, so it may have none
// before.
bool has_own_heap(const Caller& caller) {
  if (caller.engine.has_whole_world()) return true;
  caller.report(
      "this PE has joined a job that runs, and has no symmetric heap before its first call of "
      "shmemx_team_update");
  return false;
}

// A call of all PEs that live. Each changes its heap even if the call fails because another PE has
// died meanwhile, so that their heaps do not differ.
class HeapCall {
 public:
  explicit HeapCall(const Caller& caller)
      : caller_(caller), team_(caller.engine.collectives().heap_team()) {}

  // All must make the same calls, or their heaps would differ.
  void examine(const std::string& details) {
    if (caller_.checks_enabled()) attempt([&] { examine_collective(caller_, team_, details); });
  }
  void meet() {
    // An operation to a dead PE that has failed is no failure of this call.
    check(caller_, caller_.engine.rma().quiet(caller_.lane));
    attempt([&] {
      examine_meeting(caller_, team_);
      check_meeting(caller_, caller_.engine.collectives().barrier(team_, caller_.name));
    });
  }
  // The last step.
  void end() const {
    if (lost_) throw *lost_;
  }

 private:
  template <typename Step>
  void attempt(const Step& step) {
    if (lost_) return;
    try {
      step();
    } catch (const HopelessWait& hopeless) {
      lost_ = hopeless;
    }
  }

  const Caller& caller_;
  Team& team_;
  std::optional<HopelessWait> lost_;
};

std::size_t offset_of(const Caller& caller, const void* block) {
  return caller.engine.symmetric().ranges().offset_of(block, 1);
}

void* finish_allocation(HeapCall& call, const Caller& caller, void* block, std::size_t size) {
  if (block == nullptr) explain_full_heap(caller, size);
  caller.engine.kinds().open_used();
  call.meet();
  call.end();
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
  HeapCall(caller).examine(fmt::format("hints {:#x}", hints));
  return heap_malloc(caller, size);
}

void* heap_calloc(Caller caller, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = ~std::size_t{0} / 2;
  if (bytes == 0 || !has_own_heap(caller)) return nullptr;
  HeapCall call(caller);
  call.examine(fmt::format("{} bytes", bytes));
  return finish_allocation(call, caller, caller.engine.symmetric().allocate_zeroed(bytes), bytes);
}

void* heap_align(Caller caller, std::size_t alignment, std::size_t size) {
  if (size == 0 || !has_own_heap(caller)) return nullptr;
  HeapCall call(caller);
  call.examine(fmt::format("{} bytes aligned to {}", size, alignment));
  if (!std::has_single_bit(alignment)) return nullptr;
  if (alignment > arena_alignment) {
    explain_alignment(caller, alignment);
    return nullptr;
  }
  void* const block = caller.engine.symmetric().allocate(size, alignment);
  return finish_allocation(call, caller, block, size);
}

void* heap_realloc(Caller caller, void* block, std::size_t size) {
  if (block == nullptr) return heap_malloc(caller, size);
  if (size == 0) {
    heap_free(caller, block);
    return nullptr;
  }
  HeapCall call(caller);
  call.examine(
      fmt::format("{} bytes, block at symmetric offset {:#x}", size, offset_of(caller, block)));
  call.meet();  // no rank uses the old block after the barrier
  require_block(caller, block);
  return finish_allocation(call, caller, caller.engine.symmetric().resize(block, size), size);
}

void heap_free(Caller caller, void* block) {
  if (block == nullptr) return;
  HeapCall call(caller);
  call.examine(fmt::format("block at symmetric offset {:#x}", offset_of(caller, block)));
  call.meet();  // no rank uses the block after the barrier
  caller.engine.symmetric().release(require_block(caller, block));
  call.end();
}

}  // namespace gondwana::shmem
