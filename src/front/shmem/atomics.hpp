// OpenSHMEM 1.6, section 9.7: atomic memory operations.
#pragma once

#include "front/shmem/checks.hpp"
#include "process/leave.hpp"

namespace gondwana::shmem {

// A program that fetches repeatedly may be waiting for another value, or for an answer to its puts.
template <typename T>
void note_fetch(const Caller& caller, const T* source, T value, std::uint32_t fetches) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &value, sizeof(T));
  check_for_end();
  caller.engine.waiter().make_progress();
  caller.engine.waiter().polls().fetched(source, bytes, fetches);
}

// Out of line for the same reason as p_elsewhere.
template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::cold, gnu::noinline]] T atomic_elsewhere(C caller, T* dest, T value, T compare, int pe) {
  const Caller resolved = caller;
  const char* argument = Op == AtomicOp::fetch ? "source" : "dest";
  if (!examine_value(resolved, {argument, dest, sizeof(T)}, pe)) return T{};
  const std::optional<T> old =
      resolved.engine.rma().atomic<Op>(resolved.lane, resolved.rank_of(pe), dest, value, compare);
  check(resolved, old.has_value());
  if (!old) [[unlikely]]
    return T{};
  if constexpr (Op == AtomicOp::fetch) note_fetch(resolved, dest, *old, 1);
  return *old;
}

template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::always_inline]] inline T do_atomic(C caller, T* dest, T value, T compare, int pe) {
  T old;
  if (!caller.shortcut().template try_atomic<Op>(rank_of(pe), dest, value, compare, old))
      [[unlikely]]
    return atomic_elsewhere<Op>(caller, dest, value, compare, pe);
  return old;
}

template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::always_inline]] inline T atomic(C caller, T* dest, T value, int pe) {
  return do_atomic<Op>(caller, dest, value, T{}, pe);
}

template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::cold, gnu::noinline]] void begin_atomic(C caller, T* result, T* dest, T value, T compare,
                                               int pe) {
  const Caller resolved = caller;
  const char* argument = Op == AtomicOp::fetch ? "source" : "dest";
  if (!examine_value(resolved, {argument, dest, sizeof(T)}, pe)) return;
  check(resolved, resolved.engine.rma().begin_atomic<Op>(resolved.lane, resolved.rank_of(pe), dest,
                                                         value, compare, result));
}

// The calls that do not fetch. They are complete after a quiet.
template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::always_inline]] inline void update(C caller, T* dest, T value, int pe) {
  T old;
  if (!caller.shortcut().template try_atomic<Op>(rank_of(pe), dest, value, T{}, old)) [[unlikely]]
    begin_atomic<Op>(caller, static_cast<T*>(nullptr), dest, value, T{}, pe);
}

// Returns the value, so that its caller need not save it.
template <typename T, AnyCaller C>
[[gnu::cold, gnu::noinline]] T note_fetches(C caller, const T* source, T value) {
  note_fetch<T>(caller, source, value, Shortcut::fetches_per_note);
  return value;
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline T atomic_fetch(C caller, const T* source, int pe) {
  T value;
  bool tells = false;
  if (!caller.shortcut().try_fetch(rank_of(pe), source, value, tells)) [[unlikely]]
    return atomic_elsewhere<AtomicOp::fetch>(caller, const_cast<T*>(source), T{}, T{}, pe);
  if (tells) [[unlikely]]
    return note_fetches(caller, source, value);
  return value;
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline void atomic_set(C caller, T* dest, T value, int pe) {
  update<AtomicOp::swap>(caller, dest, value, pe);
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline T atomic_compare_swap(C caller, T* dest, T expected, T value,
                                                    int pe) {
  return do_atomic<AtomicOp::compare_swap>(caller, dest, value, expected, pe);
}

// On a node the nonblocking calls complete at once: `result` is valid when they return.
template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::cold, gnu::noinline]] void atomic_nbi_elsewhere(C caller, T* result, T* dest, T value,
                                                       T compare, int pe) {
  const Caller resolved = caller;
  if (resolved.checks_enabled()) examine_own(resolved, {"fetch", result, sizeof(T)});
  begin_atomic<Op>(caller, result, dest, value, compare, pe);
}

template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::always_inline]] inline void do_atomic_nbi(C caller, T* result, T* dest, T value, T compare,
                                                 int pe) {
  if (!caller.shortcut().template try_atomic_to<Op>(result, rank_of(pe), dest, value, compare))
      [[unlikely]]
    atomic_nbi_elsewhere<Op>(caller, result, dest, value, compare, pe);
}

template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::always_inline]] inline void atomic_nbi(C caller, T* result, T* dest, T value, int pe) {
  do_atomic_nbi<Op>(caller, result, dest, value, T{}, pe);
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline void atomic_fetch_nbi(C caller, T* result, const T* source, int pe) {
  do_atomic_nbi<AtomicOp::fetch>(caller, result, const_cast<T*>(source), T{}, T{}, pe);
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline void atomic_compare_swap_nbi(C caller, T* result, T* dest, T expected,
                                                           T value, int pe) {
  do_atomic_nbi<AtomicOp::compare_swap>(caller, result, dest, value, expected, pe);
}

}  // namespace gondwana::shmem
