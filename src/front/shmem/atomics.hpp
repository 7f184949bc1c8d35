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
[[gnu::cold, gnu::noinline]] T atomic_elsewhere(C who, T* dest, T value, T compare, int pe) {
  const Caller caller = who;
  if (caller.checks_enabled()) {
    const char* argument = Op == AtomicOp::fetch ? "source" : "dest";
    examine_value(caller, {argument, dest, sizeof(T)}, pe);
  }
  const std::optional<T> old =
      caller.engine.rma().atomic<Op>(caller.lane, caller.rank_of(pe), dest, value, compare);
  check(caller, old.has_value());
  if constexpr (Op == AtomicOp::fetch) note_fetch(caller, dest, *old, 1);
  return *old;
}

template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::always_inline]] inline T do_atomic(C who, T* dest, T value, T compare, int pe) {
  T old;
  if (!who.shortcut().template try_atomic<Op>(rank_of(pe), dest, value, compare, old)) [[unlikely]]
    return atomic_elsewhere<Op>(who, dest, value, compare, pe);
  return old;
}

template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::always_inline]] inline T atomic(C who, T* dest, T value, int pe) {
  return do_atomic<Op>(who, dest, value, T{}, pe);
}

template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::cold, gnu::noinline]] void begin_atomic(C who, T* result, T* dest, T value, T compare,
                                               int pe) {
  const Caller caller = who;
  if (caller.checks_enabled()) {
    const char* argument = Op == AtomicOp::fetch ? "source" : "dest";
    examine_value(caller, {argument, dest, sizeof(T)}, pe);
  }
  check(caller, caller.engine.rma().begin_atomic<Op>(caller.lane, caller.rank_of(pe), dest, value,
                                                     compare, result));
}

// The calls that do not fetch. They are complete after a quiet.
template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::always_inline]] inline void update(C who, T* dest, T value, int pe) {
  T old;
  if (!who.shortcut().template try_atomic<Op>(rank_of(pe), dest, value, T{}, old)) [[unlikely]]
    begin_atomic<Op>(who, static_cast<T*>(nullptr), dest, value, T{}, pe);
}

// Returns the value, so that its caller need not save it.
template <typename T, AnyCaller C>
[[gnu::cold, gnu::noinline]] T note_fetches(C who, const T* source, T value) {
  note_fetch<T>(who, source, value, Shortcut::fetches_per_note);
  return value;
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline T atomic_fetch(C who, const T* source, int pe) {
  T value;
  bool tells = false;
  if (!who.shortcut().try_fetch(rank_of(pe), source, value, tells)) [[unlikely]]
    return atomic_elsewhere<AtomicOp::fetch>(who, const_cast<T*>(source), T{}, T{}, pe);
  if (tells) [[unlikely]]
    return note_fetches(who, source, value);
  return value;
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline void atomic_set(C who, T* dest, T value, int pe) {
  update<AtomicOp::swap>(who, dest, value, pe);
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline T atomic_compare_swap(C who, T* dest, T expected, T value, int pe) {
  return do_atomic<AtomicOp::compare_swap>(who, dest, value, expected, pe);
}

// On a node the nonblocking calls complete at once: `result` is valid when they return.
template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::cold, gnu::noinline]] void atomic_nbi_elsewhere(C who, T* result, T* dest, T value,
                                                       T compare, int pe) {
  if (who.checks_enabled()) examine_own(who, {"fetch", result, sizeof(T)});
  begin_atomic<Op>(who, result, dest, value, compare, pe);
}

template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::always_inline]] inline void do_atomic_nbi(C who, T* result, T* dest, T value, T compare,
                                                 int pe) {
  if (!who.shortcut().template try_atomic_to<Op>(result, rank_of(pe), dest, value, compare))
      [[unlikely]]
    atomic_nbi_elsewhere<Op>(who, result, dest, value, compare, pe);
}

template <AtomicOp Op, typename T, AnyCaller C>
[[gnu::always_inline]] inline void atomic_nbi(C who, T* result, T* dest, T value, int pe) {
  do_atomic_nbi<Op>(who, result, dest, value, T{}, pe);
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline void atomic_fetch_nbi(C who, T* result, const T* source, int pe) {
  do_atomic_nbi<AtomicOp::fetch>(who, result, const_cast<T*>(source), T{}, T{}, pe);
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline void atomic_compare_swap_nbi(C who, T* result, T* dest, T expected,
                                                           T value, int pe) {
  do_atomic_nbi<AtomicOp::compare_swap>(who, result, dest, value, expected, pe);
}

}  // namespace gondwana::shmem
