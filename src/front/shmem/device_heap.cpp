#include "front/shmem/device_heap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "core/mapping.hpp"
#include "front/shmem/buffers.hpp"
#include "front/shmem/checks.hpp"
#include "front/shmem/devices.hpp"
#include "front/shmem/door.hpp"
#include "front/shmem/sync.hpp"

namespace gondwana::shmem {
namespace {

// The alignment of vendors' allocators. Rows of a matrix get the same alignment as in their memory.
constexpr std::size_t usual_alignment = 256;

// If all ranks fail alike, one of them prints the message.
void report_once(const Caller& caller, const std::string& why) {
  if (caller.engine.rank() == Rank(0)) caller.report(why);
}

void examine_call(const Caller& caller, const std::string& details) {
  if (caller.checks_enabled()) examine_collective(caller, caller.engine.teams().world(), details);
}

// The first rank that just registered a buffer of another size.
std::optional<std::uint32_t> find_other_size(const Caller& caller, std::size_t size) {
  const std::span parts(caller.door.buffers().back().parts, caller.engine.ranks());
  const auto other =
      std::ranges::find_if(parts, [size](const BufferPart& part) { return part.size != size; });
  if (other == parts.end()) return std::nullopt;
  return static_cast<std::uint32_t>(other - parts.begin());
}

// Collective. False on all ranks: nothing is registered. A rank without memory has printed why.
bool register_alike(const Caller& caller, std::byte* memory, std::size_t size) {
  if (register_buffer(caller, memory, size) != 0) return false;
  const bool has_memory = memory != nullptr;
  const auto other = find_other_size(caller, has_memory ? size : 0);
  if (!other && has_memory) return true;
  const std::size_t theirs = other ? caller.door.buffers().back().parts[*other].size : 0;
  if (has_memory && theirs > 0)
    caller.report(fmt::format("{} here, {} on rank {}; give all ranks the same size",
                              format_size(size), format_size(theirs), *other));
  unregister_buffer(caller, memory);
  return false;
}

DeviceHeap& heap_of(const Caller& caller) {
  if (!caller.door.device_heap())
    give_up_together(caller.name,
                     "there is no heap on devices; call shmemx_device_heap_create first");
  return *caller.door.device_heap();
}

}  // namespace

int device_heap_create(Caller caller, int device, std::size_t size) {
  examine_call(caller, fmt::format("{} bytes", size));
  std::optional<DeviceHeap>& heap = caller.door.device_heap();
  if (heap || size == 0 || size > SIZE_MAX - Heap::granule) {
    report_once(caller,
                heap ? fmt::format("a heap of {} already exists; only one can exist at a time",
                                   format_size(heap->size()))
                     : fmt::format("cannot create a heap of {} bytes", size));
    return 1;
  }
  const std::size_t whole = round_up(size, Heap::granule);
  auto* memory = static_cast<std::byte*>(device_malloc(caller, device, whole));
  if (!register_alike(caller, memory, whole)) {
    device_free(caller, memory);
    return 1;
  }
  heap.emplace(*caller.engine.kinds().of({memory, whole}), memory, whole);
  return 0;
}

int device_heap_destroy(Caller caller) {
  std::optional<DeviceHeap>& heap = caller.door.device_heap();
  if (!heap) {
    report_once(caller, "there is no heap on devices");
    return 1;
  }
  const DeviceHeap ended(std::move(*heap));
  heap.reset();  // from here on the memory is an ordinary registered buffer
  return unregister_buffer(caller, ended.memory());
}

void* device_heap_malloc(Caller caller, std::size_t size) {
  return device_heap_align(caller, usual_alignment, size);
}

void* device_heap_align(Caller caller, std::size_t alignment, std::size_t size) {
  if (size == 0) return nullptr;
  examine_call(caller, fmt::format("{} bytes aligned to {}", size, alignment));
  DeviceHeap& heap = heap_of(caller);
  if (!std::has_single_bit(alignment)) return nullptr;
  if (alignment > page_size()) {
    report_once(caller, fmt::format("cannot align a block to {}; expected {} or less",
                                    format_size(alignment), format_size(page_size())));
    return nullptr;
  }
  void* block = heap.allocate(size, alignment);
  if (block == nullptr)
    report_once(
        caller,
        fmt::format("{}: the largest free piece of the heap of {} on devices is {}; "
                    "create a larger one",
                    format_size(size), format_size(heap.size()), format_size(heap.largest_free())));
  barrier_all(caller);
  return block;
}

void device_heap_free(Caller caller, void* block) {
  if (block == nullptr) return;
  examine_call(caller, "");
  DeviceHeap& heap = heap_of(caller);
  barrier_all(caller);  // no rank uses the block after the barrier
  if (!heap.release(block))
    give_up(caller.name, fmt::format("{} is not the start of a block of the heap on devices (freed "
                                     "twice, or not from shmemx_device_heap_malloc?)",
                                     fmt::ptr(block)));
}

}  // namespace gondwana::shmem
