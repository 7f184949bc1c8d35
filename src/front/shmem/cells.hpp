#pragma once

#include <atomic>
#include <cstddef>

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

// Words that peers write, possibly in device memory.
template <typename T>
class Cells {
 public:
  Cells(const Caller& caller, const T* cells)
      : call_(caller.name),
        cells_(cells),
        access_(is_on_device(caller, cells) ? caller.engine.kind_access() : nullptr) {}

  // Earlier writes of peers are visible after this. A word in device memory is copied to the host.
  T load(std::size_t i = 0) const {
    if (access_ != nullptr) [[unlikely]]
      return copy_of(cells_ + i);
    return std::atomic_ref<T>(const_cast<T&>(cells_[i])).load(std::memory_order_acquire);
  }
  const T* data() const { return cells_; }
  // The memory for a sleeping rank to watch. Null: device memory, which the processor cannot read.
  const T* watched() const { return access_ == nullptr ? cells_ : nullptr; }

 private:
  static bool is_on_device(const Caller& caller, const T* cells) {
    Kinds& kinds = caller.engine.kinds();
    return kinds.is_near_device(cells) &&
           kinds.of({reinterpret_cast<const std::byte*>(cells), sizeof(T)}) != nullptr;
  }
  [[gnu::noinline, gnu::cold]] T copy_of(const T* cell) const {
    T value{};
    const Result<void> copied = access_->any_memory().copy(
        reinterpret_cast<std::byte*>(&value), reinterpret_cast<const std::byte*>(cell), sizeof(T));
    if (!copied) give_up(call_, copied.error().text);
    return value;
  }

  CallName call_;
  const T* cells_;
  KindAccess* access_;  // null: host memory
};

}  // namespace gondwana::shmem
