// All data that an on-node operation on a single value needs. It is small, so that a front door can
// keep a copy next to the call. It is a value type; with the default value every try fails.
//
// A try does the operation and returns true, or does nothing and returns false. The engine then
// takes the slow path or reports the error.
#pragma once

#include <cstring>

#include "core/counters.hpp"
#include "engine/rma/reach.hpp"
#include "operations/atomic_op.hpp"
#include "operations/copy.hpp"
#include "spaces/kinds/kinds.hpp"

namespace gondwana {

class Shortcut {
 public:
  constexpr Shortcut() = default;
  // `copies`: the ranks to which any memory of this process may be copied. If it covers none,
  // `kinds` tells which memory may be copied to the others. Null: no devices.
  Shortcut(const Reach& reach, const Reach& copies, const Kinds* kinds, CounterBlock& counters)
      : reach_(reach), copies_(copies), kinds_(kinds), counters_(&counters) {}

  // Makes every further try fail. Called by a signal handler that interrupts one.
  void reach_none() {
    reach_.cover_none();
    copies_.cover_none();
    kinds_ = nullptr;
  }

  // See Reach::cover().
  void cover(std::uint32_t end) {
    reach_.cover(end);
    copies_.cover(end);
  }

  template <typename T>
  [[gnu::always_inline]] bool try_put(Rank to, T* dest, T value) const {
    const Reach::Place target = reach_.find(to, dest, FixedSize<sizeof(T)>{});
    if (!target) [[unlikely]]
      return false;
    counters_->add_value_put<sizeof(T)>();
    copy_value(target.data(), value);
    Reach::wake(target.window);  // last: the compiler makes it a jump
    return true;
  }

  // Like try_put(), but reads the value only if the target is within reach.
  template <typename T>
  [[gnu::always_inline]] bool try_put_from(Rank to, T* dest, const void* source) const {
    Reach::Place target = copies_.find(to, dest, FixedSize<sizeof(T)>{});
    if (!target) [[unlikely]]
      target = find_beside_devices(to, dest, FixedSize<sizeof(T)>{}, source);
    if (!target) [[unlikely]]
      return false;
    T value;
    std::memcpy(&value, source, sizeof(T));
    counters_->add_value_put<sizeof(T)>();
    copy_value(target.data(), value);
    Reach::wake(target.window);
    return true;
  }

  template <typename T>
  [[gnu::always_inline]] bool try_get(Rank from, const T* source, T& value) const {
    const Reach::Place origin = reach_.find(from, source, FixedSize<sizeof(T)>{});
    if (!origin) [[unlikely]]
      return false;
    counters_->add_value_get<sizeof(T)>();
    value = load_value<T>(origin.data());
    return true;
  }

  // Like try_get(), but the result may go to any memory of this process.
  template <typename T>
  [[gnu::always_inline]] bool try_get_to(void* dest, Rank from, const T* source) const {
    Reach::Place origin = copies_.find(from, source, FixedSize<sizeof(T)>{});
    if (!origin) [[unlikely]]
      origin = find_beside_devices(from, source, FixedSize<sizeof(T)>{}, dest);
    if (!origin) [[unlikely]]
      return false;
    counters_->add_value_get<sizeof(T)>();
    const T value = load_value<T>(origin.data());
    std::memcpy(dest, &value, sizeof(T));
    return true;
  }

  // `old`: the previous value.
  template <AtomicOp Op, typename T>
  [[gnu::always_inline]] bool try_atomic(Rank at, T* dest, T operand, T compare, T& old) const {
    const Reach::Place target = reach_.find(at, dest, FixedSize<sizeof(T)>{});
    if (!target) [[unlikely]]
      return false;
    counters_->add(Count::atomics);
    old = apply_atomic<Op>(*reinterpret_cast<T*>(target.data()), operand, compare);
    if constexpr (Op != AtomicOp::fetch) old = Reach::wake(target.window, old);
    return true;
  }

  // Like try_atomic(), but the previous value may go to any memory of this process.
  template <AtomicOp Op, typename T>
  [[gnu::always_inline]] bool try_atomic_to(T* old, Rank at, T* dest, T operand, T compare) const {
    Reach::Place target = copies_.find(at, dest, FixedSize<sizeof(T)>{});
    if (!target) [[unlikely]]
      target = find_beside_devices(at, dest, FixedSize<sizeof(T)>{}, old);
    if (!target) [[unlikely]]
      return false;
    counters_->add(Count::atomics);
    T found = apply_atomic<Op>(*reinterpret_cast<T*>(target.data()), operand, compare);
    if constexpr (Op != AtomicOp::fetch) found = Reach::wake(target.window, found);
    *old = found;
    return true;
  }

  // A load. Sets `tells` for one in `fetches_per_note`, because a program may wait in a loop of
  // loads.
  static constexpr std::uint32_t fetches_per_note = 32;
  template <typename T>
  [[gnu::always_inline]] bool try_fetch(Rank at, const T* source, T& value, bool& tells) const {
    const Reach::Place origin = reach_.find(at, source, FixedSize<sizeof(T)>{});
    if (!origin) [[unlikely]]
      return false;
    tells = counters_->add(Count::atomics) % fetches_per_note == 0;
    value = apply_atomic<AtomicOp::fetch>(*reinterpret_cast<T*>(origin.data()), T{}, T{});
    return true;
  }

 private:
  template <typename Size>
  [[gnu::always_inline]] Reach::Place find_beside_devices(Rank rank, const void* object, Size size,
                                                          const void* here) const {
    return kinds_ != nullptr && !kinds_->is_near_device(here) ? reach_.find(rank, object, size)
                                                              : Reach::Place{};
  }

  Reach reach_;
  Reach copies_;
  const Kinds* kinds_ = nullptr;
  CounterBlock* counters_ = nullptr;
};

}  // namespace gondwana
