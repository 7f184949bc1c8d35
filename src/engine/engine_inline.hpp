// The inline half of engine.hpp: what runs where loads and stores reach.
#pragma once

#include "engine/engine.hpp"

namespace gondwana {

inline std::byte* Engine::within_reach(Rank rank, const void* object, std::size_t size) const {
  const std::size_t offset = symmetric_.offset_of(object, size);
  std::byte* window = reach_.window(rank);
  if (window == nullptr || offset == SymmetricMemory::nowhere) [[unlikely]]
    return nullptr;
  return window + offset;
}

template <std::size_t Size>
std::byte* Engine::within_reach(Rank rank, const void* object) const {
  const std::size_t offset = symmetric_.offset_of<Size>(object);
  std::byte* window = reach_.window(rank);
  if (window == nullptr || offset == SymmetricMemory::nowhere) [[unlikely]]
    return nullptr;
  return window + offset;
}

inline void Engine::count_put(std::size_t size) {
  CounterBlock& block = counters();
  block.add(Count::puts);
  block.add(Count::put_bytes, size);
}

inline void Engine::count_get(std::size_t size) {
  CounterBlock& block = counters();
  block.add(Count::gets);
  block.add(Count::get_bytes, size);
}

// A locked instruction on a line of our own stack costs half of mfence and does the same for memory
// that is cached; nothing here is written past the cache by us without an sfence.
inline void Engine::full_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

inline bool Engine::put(Lane& lane, Rank to, void* dest, const void* source, std::size_t size) {
  std::byte* target = within_reach(to, dest, size);
  if (target == nullptr) [[unlikely]]
    return put_elsewhere(lane, to, dest, source, size);
  copy_to_peer(target, static_cast<const std::byte*>(source), size);
  wake(to);
  count_put(size);
  return true;
}

inline bool Engine::get(Lane& lane, Rank from, void* dest, const void* source, std::size_t size) {
  const std::byte* origin = within_reach(from, source, size);
  if (origin == nullptr) [[unlikely]]
    return get_elsewhere(lane, from, dest, source, size);
  copy_from_peer(static_cast<std::byte*>(dest), origin, size);
  count_get(size);
  return true;
}

template <typename T>
bool Engine::put_value(Lane& lane, Rank to, T* dest, T value) {
  std::byte* target = within_reach<sizeof(T)>(to, dest);
  if (target == nullptr) [[unlikely]]
    return put_elsewhere(lane, to, dest, &value, sizeof(T));
  copy_to_peer(target, reinterpret_cast<const std::byte*>(&value), sizeof(T));
  wake(to);
  count_put(sizeof(T));
  return true;
}

template <typename T>
bool Engine::get_value(Lane& lane, Rank from, const T* source, T& value) {
  const std::byte* origin = within_reach<sizeof(T)>(from, source);
  if (origin == nullptr) [[unlikely]]
    return get_elsewhere(lane, from, &value, source, sizeof(T));
  copy_from_peer(reinterpret_cast<std::byte*>(&value), origin, sizeof(T));
  count_get(sizeof(T));
  return true;
}

namespace detail {

// The bytes that `count` elements of `width` bytes span, and where they begin relative to the first.
struct Extent {
  std::ptrdiff_t begin;
  std::size_t size;
};

inline Extent extent(std::size_t count, std::ptrdiff_t stride, std::size_t width) {
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * stride *
                              static_cast<std::ptrdiff_t>(width);
  const std::ptrdiff_t begin = last < 0 ? last : 0;
  return {begin, static_cast<std::size_t>(last < 0 ? -last : last) + width};
}

}  // namespace detail

template <std::size_t Width>
bool Engine::put_strided(Lane& lane, Rank to, void* dest, const void* source, Strides strides,
                         std::size_t count) {
  if (count == 0) return true;
  const detail::Extent span = detail::extent(count, strides.target, Width);
  const auto* from = static_cast<const std::byte*>(source);
  auto* place = static_cast<std::byte*>(dest);
  const std::ptrdiff_t target_step = strides.target * static_cast<std::ptrdiff_t>(Width);
  const std::ptrdiff_t source_step = strides.source * static_cast<std::ptrdiff_t>(Width);
  std::byte* target = within_reach(to, place + span.begin, span.size);
  if (target != nullptr) [[likely]] {
    target -= span.begin;
    for (std::size_t i = 0; i < count; ++i, target += target_step, from += source_step)
      copy_to_peer(target, from, Width);
    wake(to);
    count_put(count * Width);
    return true;
  }
  for (std::size_t i = 0; i < count; ++i, place += target_step, from += source_step)
    if (!put_elsewhere(lane, to, place, from, Width)) return false;
  return true;
}

template <std::size_t Width>
bool Engine::get_strided(Lane& lane, Rank from, void* dest, const void* source, Strides strides,
                         std::size_t count) {
  if (count == 0) return true;
  const detail::Extent span = detail::extent(count, strides.source, Width);
  auto* target = static_cast<std::byte*>(dest);
  const auto* place = static_cast<const std::byte*>(source);
  const std::ptrdiff_t target_step = strides.target * static_cast<std::ptrdiff_t>(Width);
  const std::ptrdiff_t source_step = strides.source * static_cast<std::ptrdiff_t>(Width);
  const std::byte* origin = within_reach(from, place + span.begin, span.size);
  if (origin != nullptr) [[likely]] {
    origin -= span.begin;
    for (std::size_t i = 0; i < count; ++i, target += target_step, origin += source_step)
      copy_from_peer(target, origin, Width);
    count_get(count * Width);
    return true;
  }
  for (std::size_t i = 0; i < count; ++i, target += target_step, place += source_step)
    if (!get_elsewhere(lane, from, target, place, Width)) return false;
  return true;
}

template <AtomicOp Op, typename T>
bool Engine::atomic(Lane& lane, Rank at, T* dest, T operand, T compare, T& old) {
  std::byte* target = within_reach<sizeof(T)>(at, dest);
  if (target != nullptr) [[likely]] {
    old = apply_atomic<Op>(*reinterpret_cast<T*>(target), operand, compare);
    if constexpr (Op != AtomicOp::fetch) wake(at);
    counters().add(Count::atomics);
    return true;
  }
  AtomicRequest request{Op, atomic_type_of<T>()};
  std::memcpy(&request.operand, &operand, sizeof(T));
  std::memcpy(&request.compare, &compare, sizeof(T));
  std::uint64_t bytes = 0;
  const bool done = atomic_elsewhere(lane, at, dest, request, bytes);
  std::memcpy(&old, &bytes, sizeof(T));
  return done;
}

inline void* Engine::pointer_to(Rank rank, const void* object) const {
  return within_reach<1>(rank, object);
}

template <typename Done>
void Engine::wait(const WaitReason& why, const Done& done) {
  const std::uint32_t spins = patience_.spins();
  for (std::uint32_t i = 0; i < spins; ++i) {
    if (done()) return;
    if (i >= Patience::eager_spins) relax();
  }
  wait_longer(why, done);
}

template <typename Done>
void Engine::wait_on_memory(CallName call, const Done& done) {
  // Stores through shmem_ptr ring no doorbell.
  wait({.call = call, .writers_ring = false}, done);
}

}  // namespace gondwana
