// The symmetric heap on devices: memory of one device of each PE. All PEs register it together, and
// each call allocates the same range on all of them. See include/shmemx.h.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "core/types.hpp"
#include "memory/heap.hpp"
#include "spaces/kinds/kind.hpp"

namespace gondwana::shmem {

struct Caller;

// The heap owns its memory. The calls that use it are collective, so one thread at a time uses it.
class DeviceHeap {
 public:
  // The heap manages the first `size` bytes of an allocation of `device`.
  DeviceHeap(Kind& device, std::byte* memory, std::size_t size)
      : device_(&device), memory_(memory), book_(size) {}
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap(DeviceHeap&& other) noexcept
      : device_(other.device_),
        memory_(std::exchange(other.memory_, nullptr)),
        book_(std::move(other.book_)) {}
  DeviceHeap& operator=(const DeviceHeap&) = delete;
  DeviceHeap& operator=(DeviceHeap&&) = delete;
  // No operation of a peer may be in flight.
  ~DeviceHeap() {
    if (memory_ != nullptr) device_->release(memory_);
  }

  std::byte* memory() const { return memory_; }
  std::size_t size() const { return book_.capacity(); }
  std::size_t largest_free() const { return book_.largest_free(); }

  // Null: no free piece is large enough.
  std::byte* allocate(std::size_t size, std::size_t alignment) {
    const auto block = book_.allocate(size, alignment);
    return block ? memory_ + block->offset : nullptr;
  }
  // False: no block begins at this address.
  bool release(const void* block) {
    return book_.release(static_cast<std::size_t>(static_cast<const std::byte*>(block) - memory_))
        .has_value();
  }

 private:
  Kind* device_;
  std::byte* memory_;
  Heap book_;
};

// All are collective over the world.
int device_heap_create(Caller caller, int device, std::size_t size);
int device_heap_destroy(Caller caller);
void* device_heap_malloc(Caller caller, std::size_t size);
void* device_heap_align(Caller caller, std::size_t alignment, std::size_t size);
void device_heap_free(Caller caller, void* block);

}  // namespace gondwana::shmem
