// The memory of the job, as calls of this process address it.
//
// Memory of a process on the same node is addressed through its arena, as mapped here. Memory of
// other processes is addressed by the same offset in this process's own arena. So an address and a
// process give an offset by one subtraction, however many blocks exist.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/engine.hpp"

namespace gondwana::armci {

class Door;

// An address of this process, if memory is mapped here (`here` is not null), or else the remote
// one.
struct Place {
  std::byte* here;
  Remote elsewhere;
};

class Memory {
 public:
  Memory(const Door& door, Engine& engine);

  // Whether loads and stores reach the memory of the rank.
  bool is_near(Rank rank) const { return reach_.covers(rank) || rank == engine_.rank(); }
  std::byte* own_arena() const { return own_arena_; }
  std::uint64_t offset_in_own_arena(Bytes memory) const;
  [[gnu::always_inline]] Place find(CallName call, int proc, const void* address,
                                    std::size_t size) const {
    if (window_of(proc, address, size) != nullptr) [[likely]]
      return {static_cast<std::byte*>(const_cast<void*>(address)), {}};
    return find_elsewhere(call, proc, address, size);
  }
  // The arena of a process if it is mapped here and contains [address, address + size); else null.
  [[gnu::always_inline]] std::byte* window_of(int proc, const void* address,
                                              std::size_t size) const {
    return window_of(reach_, proc, address, size);
  }
  // The same for code that also touches memory of this process, at `own`. Also null if that may be
  // device memory.
  [[gnu::always_inline]] std::byte* window_of(int proc, const void* address, std::size_t size,
                                              const void* own) const {
    std::byte* window = window_of(copies_, proc, address, size);
    if (window == nullptr) [[unlikely]]
      return window_beside_devices(proc, address, size, own);
    return window;
  }
  // Call this after a write to memory that is mapped here.
  [[gnu::always_inline]] void wake(int proc) const {
    const Rank rank{static_cast<std::uint32_t>(proc)};
    if (reach_.covers(rank)) [[likely]]
      Reach::wake(reach_.window(rank));
  }
  // The address by which this process names memory of another process.
  void* name_of(Rank rank, std::uint64_t offset) const {
    return (reach_.covers(rank) ? reach_.window(rank) : own_arena_) + offset;
  }

  bool has_devices() const { return has_devices_; }
  bool may_be_on_device(const void* address) const {
    return has_devices_ &&
           engine_.kinds().of({static_cast<const std::byte*>(address), 1}) != nullptr;
  }
  // Copies within this process. Either side may be device memory.
  void copy(CallName call, void* to, const void* from, std::size_t size) const {
    if (has_devices_) [[unlikely]]
      return copy_by_kind(call, to, from, size);
    std::memmove(to, from, size);
  }

 private:
  // The arena, if `reach` covers it.
  [[gnu::always_inline]] std::byte* window_of(const Reach& reach, int proc, const void* address,
                                              std::size_t size) const {
    const Rank rank{static_cast<std::uint32_t>(proc)};
    if (!reach.covers(rank)) [[unlikely]]
      return nullptr;
    std::byte* window = reach.window(rank);
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - window);
    return offset <= arena_size_ && size <= arena_size_ - offset ? window : nullptr;
  }
  [[gnu::noinline]] std::byte* window_beside_devices(int proc, const void* address,
                                                     std::size_t size, const void* own) const;
  void copy_by_kind(CallName call, void* to, const void* from, std::size_t size) const;
  [[gnu::cold]] Place find_elsewhere(CallName call, int proc, const void* address,
                                     std::size_t size) const;

  const Door& door_;
  Engine& engine_;
  Reach reach_;
  Reach copies_;  // covers no process if this one may have devices
  bool has_devices_;
  std::byte* own_arena_;
  std::size_t arena_size_;
};

// An array of the program. If it is device memory, a host copy replaces it during the call.
class OnHost {
 public:
  enum class Use : std::uint8_t { read, written, changed };

  OnHost(const Memory& memory, CallName call, MutableBytes array, Use use)
      : memory_(memory), call_(call), array_(array), use_(use) {
    if (memory.may_be_on_device(array.data())) [[unlikely]]
      take_copy();
  }
  OnHost(const OnHost&) = delete;
  OnHost& operator=(const OnHost&) = delete;
  ~OnHost() {
    if (!copy_.empty() && use_ != Use::read)
      memory_.copy(call_, array_.data(), copy_.data(), copy_.size());
  }

  MutableBytes bytes() const { return copy_.empty() ? array_ : copy_; }

 private:
  void take_copy();

  const Memory& memory_;
  CallName call_;
  MutableBytes array_;
  Use use_;
  mutable std::vector<std::byte> copy_;
};

}  // namespace gondwana::armci
