// The inline half of engine.hpp: what runs where loads and stores reach.
#pragma once

#include "engine/engine.hpp"

namespace gondwana {

[[gnu::always_inline]] inline bool Engine::put(Lane& lane, Rank to, void* dest, const void* source,
                                               std::size_t size, Buffer buffer) {
  const Reach::Place target = reach_.find(to, dest, size);
  if (!target) [[unlikely]]
    return put_elsewhere(lane, to, dest, source, size, buffer);
  lane.counters().add_put(size);
  copy_to_peer(target.data(), static_cast<const std::byte*>(source), size);
  Reach::wake(target.window);
  return true;
}

[[gnu::always_inline]] inline bool Engine::get(Lane& lane, Rank from, void* dest,
                                               const void* source, std::size_t size,
                                               Buffer buffer) {
  const Reach::Place origin = reach_.find(from, source, size);
  if (!origin) [[unlikely]]
    return get_elsewhere(lane, from, dest, source, size, buffer);
  lane.counters().add_get(size);
  copy_from_peer(static_cast<std::byte*>(dest), origin.data(), size);
  return true;
}

namespace detail {

// The bytes that `count` blocks of `block` bytes span, and where they begin relative to the first
// block. `stride` counts elements of `width` bytes.
struct Extent {
  std::ptrdiff_t begin;
  std::size_t size;
};

inline Extent extent(std::size_t count, std::ptrdiff_t stride, std::size_t width,
                     std::size_t block) {
  constexpr Extent too_much{0, ~std::size_t{0} / 2};  // more than any arena has
  std::ptrdiff_t last = 0;
  if (__builtin_mul_overflow(count - 1, stride, &last) ||
      __builtin_mul_overflow(last, width, &last))
    return too_much;
  const auto offset = static_cast<std::size_t>(last);
  std::size_t size = 0;
  if (__builtin_add_overflow(last < 0 ? 0 - offset : offset, block, &size)) return too_much;
  return {last < 0 ? last : 0, size};
}

// Of a product more than any arena has, where it overflows.
constexpr std::size_t times(std::size_t size, std::size_t count) {
  std::size_t product = 0;
  return __builtin_mul_overflow(size, count, &product) ? ~std::size_t{0} / 2 : product;
}

// Bytes; of a stride that extent() does not refuse.
constexpr std::ptrdiff_t step(std::ptrdiff_t stride, std::size_t width) {
  return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(stride) * width);
}

inline Extent extent(std::size_t count, std::ptrdiff_t stride, std::size_t width) {
  return extent(count, stride, width, width);
}

}  // namespace detail

template <std::size_t Width, typename Size>
bool Engine::put_strided(Lane& lane, Rank to, void* dest, const void* source, Strides strides,
                         Size block, std::size_t count) {
  if (count == 0 || block == 0) return true;
  const detail::Extent span = detail::extent(count, strides.target, Width, block);
  const auto* from = static_cast<const std::byte*>(source);
  auto* place = static_cast<std::byte*>(dest);
  const std::ptrdiff_t target_step = detail::step(strides.target, Width);
  const std::ptrdiff_t source_step = detail::step(strides.source, Width);
  if (const Reach::Place reached = reach_.find(to, place + span.begin, span.size)) {
    std::byte* target = reached.data() - span.begin;
    for (std::size_t i = 0; i < count; ++i, target += target_step, from += source_step)
      copy_to_peer(target, from, block);
    Reach::wake(reached.window);
    lane.counters().add_put(count * block);
    return true;
  }
  if (!is_valid(lane, "put", to, place + span.begin, span.size)) return false;
  if (packs(block) && count > 1)
    return put_packed(lane, to,
                      {.size = block,
                       .count = count,
                       .there = symmetric_.ranges().offset_of(place, block),
                       .there_step = target_step,
                       .here = const_cast<std::byte*>(from),
                       .here_step = source_step});
  for (std::size_t i = 0; i < count; ++i, place += target_step, from += source_step)
    if (!put_elsewhere(lane, to, place, from, block)) return false;
  return true;
}

template <std::size_t Width, typename Size>
bool Engine::get_strided(Lane& lane, Rank from, void* dest, const void* source, Strides strides,
                         Size block, std::size_t count) {
  if (count == 0 || block == 0) return true;
  const detail::Extent span = detail::extent(count, strides.source, Width, block);
  auto* target = static_cast<std::byte*>(dest);
  const auto* place = static_cast<const std::byte*>(source);
  const std::ptrdiff_t target_step = detail::step(strides.target, Width);
  const std::ptrdiff_t source_step = detail::step(strides.source, Width);
  if (const Reach::Place reached = reach_.find(from, place + span.begin, span.size)) {
    const std::byte* origin = reached.data() - span.begin;
    for (std::size_t i = 0; i < count; ++i, target += target_step, origin += source_step)
      copy_from_peer(target, origin, block);
    lane.counters().add_get(count * block);
    return true;
  }
  if (!is_valid(lane, "get", from, place + span.begin, span.size)) return false;
  if (packs(block) && count > 1)
    return get_packed(lane, from,
                      {.size = block,
                       .count = count,
                       .there = symmetric_.ranges().offset_of(place, block),
                       .there_step = source_step,
                       .here = target,
                       .here_step = target_step});
  for (std::size_t i = 0; i < count; ++i, target += target_step, place += source_step)
    if (!get_elsewhere(lane, from, target, place, block)) return false;
  return true;
}

[[gnu::always_inline]] inline bool Engine::put_signal(Lane& lane, Rank to, void* dest,
                                                      const void* source, std::size_t size,
                                                      const Signal& signal) {
  const Reach::Place flag = reach_.find(to, signal.word, FixedSize<sizeof(std::uint64_t)>{});
  const Reach::Place target = size == 0 ? flag : reach_.find(to, dest, size);
  if (!flag || !target) [[unlikely]]
    return put_signal_elsewhere(lane, to, dest, {static_cast<const std::byte*>(source), size},
                                signal);
  CounterBlock& counters = lane.counters();
  if (size > 0) {
    counters.add_put(size);
    copy_to_peer(target.data(), static_cast<const std::byte*>(source), size);
  }
  const std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(flag.data()));
  if (signal.op == SignalOp::set) {
    counters.add_value_put<sizeof(std::uint64_t)>();
    word.store(signal.value, std::memory_order_release);  // pairs with who looks and acquires
  } else {
    counters.add(Count::atomics);
    word.fetch_add(signal.value, std::memory_order_release);  // the same
  }
  Reach::wake(flag.window);
  return true;
}

template <AtomicOp Op, typename T>
std::optional<T> Engine::atomic(Lane& lane, Rank at, T* dest, T operand, T compare) {
  if (const Reach::Place target = reach_.find(at, dest, FixedSize<sizeof(T)>{})) {
    lane.counters().add(Count::atomics);
    const T old = apply_atomic<Op>(*reinterpret_cast<T*>(target.data()), operand, compare);
    Reach::wake(target.window);
    return old;
  }
  const std::optional<std::uint64_t> bytes =
      request_elsewhere(lane, at, dest, atomic_request<Op>(operand, compare));
  if (!bytes) return std::nullopt;
  T old;
  std::memcpy(&old, &*bytes, sizeof(T));
  return old;
}

template <AtomicOp Op, typename T>
bool Engine::begin_atomic(Lane& lane, Rank at, T* dest, T operand, T compare, T* old) {
  if (!reach_.find(at, dest, FixedSize<sizeof(T)>{}))
    return begin_elsewhere(lane, at, dest, atomic_request<Op>(operand, compare),
                           reinterpret_cast<std::byte*>(old));
  const std::optional<T> found = atomic<Op>(lane, at, dest, operand, compare);
  if (old != nullptr) *old = *found;
  return true;
}

inline void* Engine::pointer_to(Rank rank, const void* object) const {
  const Reach::Place place = reach_.find(rank, object, FixedSize<1>{});
  if (!place) return nullptr;
  // Of its own globals a program knows the address already: it may compare.
  return rank == rank_ ? const_cast<void*>(object) : place.data();
}

template <typename Done>
void Engine::wait(const WaitReason& why, const Done& done) {
  const std::uint32_t spins = why.on_wire ? 1 : workers_.mine().wait_policy.spins();
  for (std::uint32_t i = 0; i < spins; ++i) {
    if (done()) return;
    if (wire_ && looks_at_wire(why, i)) [[unlikely]]
      progress();
    receive();
    if (i >= WaitPolicy::eager_spins) relax();
  }
  wait_longer(why, done);
}

template <typename Done>
void Engine::wait_on_memory(CallName call, const Done& done, std::uint32_t peer) {
  wait({.call = call, .peer = peer, .on_program_memory = true}, done);
}

template <typename Done>
void Engine::wait_on_word(CallName call, const void* word, const Done& done) {
  wait({.call = call, .on_program_memory = true, .word = word}, done);
}

template <typename Done>
void Engine::wait_on_words(CallName call, const Done& done, std::uint32_t peer) {
  wait({.call = call, .peer = peer}, done);
}

}  // namespace gondwana
