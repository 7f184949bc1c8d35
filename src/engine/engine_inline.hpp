// The inline half of engine.hpp: what runs where loads and stores reach.
#pragma once

#include "engine/engine.hpp"

namespace gondwana {

[[gnu::always_inline]] inline bool Engine::put(Lane& lane, Rank to, void* dest, const void* source,
                                               std::size_t size) {
  const Reach::Place target = reach_.find(to, dest, size);
  if (!target) [[unlikely]]
    return put_elsewhere(lane, to, dest, source, size);
  lane.counters().add_put(size);
  copy_to_peer(target.data(), static_cast<const std::byte*>(source), size);
  Reach::wake(target.window);
  return true;
}

[[gnu::always_inline]] inline bool Engine::get(Lane& lane, Rank from, void* dest,
                                               const void* source, std::size_t size) {
  const Reach::Place origin = reach_.find(from, source, size);
  if (!origin) [[unlikely]]
    return get_elsewhere(lane, from, dest, source, size);
  lane.counters().add_get(size);
  copy_from_peer(static_cast<std::byte*>(dest), origin.data(), size);
  return true;
}

namespace detail {

// The bytes that `count` elements of `width` bytes span, and where they begin relative to the
// first.
struct Extent {
  std::ptrdiff_t begin;
  std::size_t size;
};

inline Extent extent(std::size_t count, std::ptrdiff_t stride, std::size_t width) {
  std::ptrdiff_t last = 0;
  if (__builtin_mul_overflow(count - 1, stride, &last) ||
      __builtin_mul_overflow(last, width, &last))
    return {0, ~std::size_t{0} / 2};  // more than any arena has
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
  if (const Reach::Place reached = reach_.find(to, place + span.begin, span.size)) {
    std::byte* target = reached.data() - span.begin;
    for (std::size_t i = 0; i < count; ++i, target += target_step, from += source_step)
      copy_to_peer(target, from, Width);
    Reach::wake(reached.window);
    lane.counters().add_put(count * Width);
    return true;
  }
  if (!is_valid(lane, "put", to, place + span.begin, span.size)) return false;
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
  if (const Reach::Place reached = reach_.find(from, place + span.begin, span.size)) {
    const std::byte* origin = reached.data() - span.begin;
    for (std::size_t i = 0; i < count; ++i, target += target_step, origin += source_step)
      copy_from_peer(target, origin, Width);
    lane.counters().add_get(count * Width);
    return true;
  }
  if (!is_valid(lane, "get", from, place + span.begin, span.size)) return false;
  for (std::size_t i = 0; i < count; ++i, target += target_step, place += source_step)
    if (!get_elsewhere(lane, from, target, place, Width)) return false;
  return true;
}

template <AtomicOp Op, typename T>
std::optional<T> Engine::atomic_elsewhere(Lane& lane, Rank at, T* dest, T operand, T compare) {
  AtomicRequest request{Op, atomic_type_of<T>()};
  std::memcpy(&request.operand, &operand, sizeof(T));
  std::memcpy(&request.compare, &compare, sizeof(T));
  const std::optional<std::uint64_t> bytes = request_elsewhere(lane, at, dest, request);
  if (!bytes) return std::nullopt;
  T old;
  std::memcpy(&old, &*bytes, sizeof(T));
  return old;
}

inline void* Engine::pointer_to(Rank rank, const void* object) const {
  const Reach::Place place = reach_.find(rank, object, FixedSize<1>{});
  return place ? place.data() : nullptr;
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
