// The inline half of engine.hpp: what runs where loads and stores reach.
#pragma once

#include "engine/engine.hpp"

namespace gondwana {

template <typename Size>
[[gnu::always_inline]] inline std::byte* Engine::within_reach(Rank rank, const void* object,
                                                              Size size) const {
  if (!reach_.covers(rank)) [[unlikely]]
    return nullptr;
  return symmetric_.place_in(reach_.window(rank), object, size);
}

[[gnu::always_inline]] inline bool Engine::put(Lane& lane, Rank to, void* dest, const void* source,
                                               std::size_t size) {
  std::byte* target = within_reach(to, dest, size);
  if (target == nullptr) [[unlikely]]
    return put_elsewhere(lane, to, dest, source, size);
  lane.counters().add_put(size);
  copy_to_peer(target, static_cast<const std::byte*>(source), size);
  reach_.wake(to);
  return true;
}

[[gnu::always_inline]] inline bool Engine::get(Lane& lane, Rank from, void* dest,
                                               const void* source, std::size_t size) {
  const std::byte* origin = within_reach(from, source, size);
  if (origin == nullptr) [[unlikely]]
    return get_elsewhere(lane, from, dest, source, size);
  lane.counters().add_get(size);
  copy_from_peer(static_cast<std::byte*>(dest), origin, size);
  return true;
}

template <typename T>
bool Engine::put_value_elsewhere(Lane& lane, Rank to, T* dest, T value) {
  return put_elsewhere(lane, to, dest, &value, sizeof(T));
}

template <typename T>
std::optional<T> Engine::get_value_elsewhere(Lane& lane, Rank from, const T* source) {
  T value{};
  if (!get_elsewhere(lane, from, &value, source, sizeof(T))) return std::nullopt;
  return value;
}

template <typename T>
[[gnu::always_inline]] inline bool Engine::put_value(Lane& lane, Rank to, T* dest, T value) {
  std::byte* target = within_reach(to, dest, FixedSize<sizeof(T)>{});
  if (target == nullptr) [[unlikely]]
    return put_value_elsewhere(lane, to, dest, value);
  lane.counters().add_value_put<sizeof(T)>();
  copy_value(target, value);
  reach_.wake(to);  // last: the compiler makes a jump of it
  return true;
}

template <typename T>
[[gnu::always_inline]] inline std::optional<T> Engine::get_value(Lane& lane, Rank from,
                                                                 const T* source) {
  const std::byte* origin = within_reach(from, source, FixedSize<sizeof(T)>{});
  if (origin == nullptr) [[unlikely]]
    return get_value_elsewhere(lane, from, source);
  lane.counters().add_value_get<sizeof(T)>();
  return load_value<T>(origin);
}

namespace detail {

// The bytes that `count` elements of `width` bytes span, and where they begin relative to the
// first.
struct Extent {
  std::ptrdiff_t begin;
  std::size_t size;
};

inline Extent extent(std::size_t count, std::ptrdiff_t stride, std::size_t width) {
  const std::ptrdiff_t last =
      static_cast<std::ptrdiff_t>(count - 1) * stride * static_cast<std::ptrdiff_t>(width);
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
    reach_.wake(to);
    lane.counters().add_put(count * Width);
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
    lane.counters().add_get(count * Width);
    return true;
  }
  for (std::size_t i = 0; i < count; ++i, target += target_step, place += source_step)
    if (!get_elsewhere(lane, from, target, place, Width)) return false;
  return true;
}

template <AtomicOp Op, typename T>
std::optional<T> Engine::atomic_value_elsewhere(Lane& lane, Rank at, T* dest, T operand,
                                                T compare) {
  AtomicRequest request{Op, atomic_type_of<T>()};
  std::memcpy(&request.operand, &operand, sizeof(T));
  std::memcpy(&request.compare, &compare, sizeof(T));
  const std::optional<std::uint64_t> bytes = atomic_elsewhere(lane, at, dest, request);
  if (!bytes) return std::nullopt;
  T old;
  std::memcpy(&old, &*bytes, sizeof(T));
  return old;
}

template <AtomicOp Op, typename T>
[[gnu::always_inline]] inline std::optional<T> Engine::atomic(Lane& lane, Rank at, T* dest,
                                                              T operand, T compare) {
  std::byte* target = within_reach(at, dest, FixedSize<sizeof(T)>{});
  if (target == nullptr) [[unlikely]]
    return atomic_value_elsewhere<Op>(lane, at, dest, operand, compare);
  lane.counters().add(Count::atomics);
  const T old = apply_atomic<Op>(*reinterpret_cast<T*>(target), operand, compare);
  if constexpr (Op == AtomicOp::fetch) return old;
  return reach_.wake(at, old);
}

inline void* Engine::pointer_to(Rank rank, const void* object) const {
  return within_reach(rank, object, FixedSize<1>{});
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
  wait({.call = call, .on_program_memory = true}, done);
}

}  // namespace gondwana
