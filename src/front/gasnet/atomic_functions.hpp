// The operations of atomic domains, on a word of this node and on a word of another node.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "front/gasnet/remote_memory.hpp"
#include "gasnet_ratomic.h"
#include "operations/combine.hpp"

namespace gondwana::gasnet::atomics {

inline constexpr CallName op_call = "gex_AD_Op";

template <typename T>
struct Operands {
  T first;
  T second;
};

// The new value of an operation that is a compare-and-exchange loop. Integers wrap around.
template <gex_OP_t Op, typename T>
T updated(T old, const Operands<T>& operands) {
  if constexpr (Op == GEX_OP_MIN) return combined<CombineOp::min>(old, operands.first);
  if constexpr (Op == GEX_OP_MAX) return combined<CombineOp::max>(old, operands.first);
  if constexpr (Op == GEX_OP_MULT) return combined<CombineOp::prod>(old, operands.first);
  if constexpr (std::floating_point<T>) {
    if constexpr (Op == GEX_OP_ADD) return old + operands.first;
    if constexpr (Op == GEX_OP_SUB) return old - operands.first;
    if constexpr (Op == GEX_OP_INC) return old + 1;
    if constexpr (Op == GEX_OP_DEC) return old - 1;
  }
  return old;
}

template <gex_OP_t Op, typename T>
T exchange_until_done(std::atomic_ref<T> cell, const Operands<T>& operands) {
  T old = cell.load(std::memory_order_relaxed);
  while (!cell.compare_exchange_weak(old, updated<Op>(old, operands))) {
  }
  return old;
}

// The client compares floating-point values as numbers, but the processor compares bits. So a zero
// of either sign matches both.
template <typename T>
T compare_and_swap(std::atomic_ref<T> cell, const Operands<T>& operands) {
  T expected = operands.first;
  if (cell.compare_exchange_strong(expected, operands.second)) return expected;
  if constexpr (std::floating_point<T>) {
    while (expected == operands.first)
      if (cell.compare_exchange_weak(expected, operands.second)) break;
  }
  return expected;
}

// `Op` is the non-fetching form. Returns the old value.
template <gex_OP_t Op, typename T>
T apply(T& target, const Operands<T>& operands) {
  const std::atomic_ref<T> cell(target);
  if constexpr (Op == GEX_OP_GET) return cell.load();
  if constexpr (Op == GEX_OP_SET) return cell.exchange(operands.first);
  if constexpr (Op == GEX_OP_CAS) return compare_and_swap(cell, operands);
  if constexpr (std::integral<T>) {
    if constexpr (Op == GEX_OP_ADD) return cell.fetch_add(operands.first);
    if constexpr (Op == GEX_OP_SUB) return cell.fetch_sub(operands.first);
    if constexpr (Op == GEX_OP_INC) return cell.fetch_add(1);
    if constexpr (Op == GEX_OP_DEC) return cell.fetch_sub(1);
    if constexpr (Op == GEX_OP_AND) return cell.fetch_and(operands.first);
    if constexpr (Op == GEX_OP_OR) return cell.fetch_or(operands.first);
    if constexpr (Op == GEX_OP_XOR) return cell.fetch_xor(operands.first);
  }
  return exchange_until_done<Op>(cell, operands);
}

// A word of another node, outside the reach of loads and stores.
template <typename T>
struct RemoteWord {
  RemoteMemory& remote;
  Remote place;
  RemoteMemory::NoRoom no_room;  // applies to the first request; later ones wait
  bool refused = false;          // the queue was full, and the returned value is meaningless

  T request(AtomicOp op, AtomicType type, T operand, T compare) {
    AtomicRequest request{op, type};
    std::memcpy(&request.operand, &operand, sizeof(T));
    std::memcpy(&request.compare, &compare, sizeof(T));
    const auto bytes =
        remote.request(place, request, op_call, std::exchange(no_room, RemoteMemory::NoRoom::wait));
    refused = !bytes;
    T old{};
    if (bytes) std::memcpy(&old, &*bytes, sizeof(T));
    return old;
  }
  T request(AtomicOp op, T operand) { return request(op, atomic_type_of<T>(), operand, operand); }
  // Compares bits, whatever the type.
  T compare_and_swap(T expected, T desired) {
    constexpr AtomicType bits = sizeof(T) == 4 ? AtomicType::uint32 : AtomicType::uint64;
    return request(AtomicOp::compare_swap, bits, desired, expected);
  }
};

template <typename T>
bool same_bits(const T& a, const T& b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

template <gex_OP_t Op, typename T>
T exchange_until_done(RemoteWord<T>& word, const Operands<T>& operands) {
  T old = word.request(AtomicOp::fetch, T{});
  while (!word.refused) {
    const T found = word.compare_and_swap(old, updated<Op>(old, operands));
    if (same_bits(found, old)) break;
    old = found;
  }
  return old;
}

// A zero of either sign matches both, as on this node.
template <typename T>
T compare_and_swap(RemoteWord<T>& word, const Operands<T>& operands) {
  T expected = operands.first;
  for (;;) {
    const T found = word.compare_and_swap(expected, operands.second);
    if (word.refused || same_bits(found, expected) || found != operands.first) return found;
    expected = found;
  }
}

template <typename T>
constexpr T negative(T value) {
  if constexpr (std::floating_point<T>)
    return -value;
  else
    return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(value));
}

template <gex_OP_t Op, typename T>
T apply(RemoteWord<T>& word, const Operands<T>& operands) {
  if constexpr (Op == GEX_OP_GET) return word.request(AtomicOp::fetch, T{});
  if constexpr (Op == GEX_OP_SET) return word.request(AtomicOp::swap, operands.first);
  if constexpr (Op == GEX_OP_CAS) return compare_and_swap(word, operands);
  if constexpr (Op == GEX_OP_ADD) return word.request(AtomicOp::add, operands.first);
  if constexpr (Op == GEX_OP_SUB) return word.request(AtomicOp::add, negative(operands.first));
  if constexpr (Op == GEX_OP_INC) return word.request(AtomicOp::add, T{1});
  if constexpr (Op == GEX_OP_DEC) return word.request(AtomicOp::add, negative(T{1}));
  if constexpr (Op == GEX_OP_AND) return word.request(AtomicOp::bit_and, operands.first);
  if constexpr (Op == GEX_OP_OR) return word.request(AtomicOp::bit_or, operands.first);
  if constexpr (Op == GEX_OP_XOR) return word.request(AtomicOp::bit_xor, operands.first);
  return exchange_until_done<Op>(word, operands);
}

// The table is indexed by the bit number of the operation code. Null: the type lacks the operation.
template <typename T>
struct Functions {
  T (*here)(T& target, const Operands<T>& operands);
  T (*elsewhere)(RemoteWord<T>& target, const Operands<T>& operands);
};
inline constexpr std::size_t operations = 28;
inline constexpr gex_OP_t all_operations =
    GEX_OP_GET | ((GEX_OP_CAS << 1U) - 1) | GEX_OP_TO_FETCHING((GEX_OP_CAS << 1U) - 1);
static_assert(all_operations >> operations == 0);

constexpr gex_OP_t base_of(std::size_t bit) {
  const gex_OP_t op = gex_OP_t{1} << bit;
  return op >= GEX_OP_FAND && op <= GEX_OP_FCAS ? GEX_OP_TO_NONFETCHING(op) : op;
}

template <typename T, std::size_t Bit>
constexpr Functions<T> function() {
  constexpr gex_OP_t op = base_of(Bit);
  constexpr gex_OP_t bitwise = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;
  constexpr bool is_operation = (gex_OP_t{1} << Bit & all_operations) != 0;
  if constexpr (!is_operation || ((op & bitwise) != 0 && std::floating_point<T>))
    return {nullptr, nullptr};
  else
    return {&apply<op, T>, &apply<op, T>};
}

template <typename T, std::size_t... Bit>
constexpr std::array<Functions<T>, operations> functions(std::index_sequence<Bit...> /*unused*/) {
  return {function<T, Bit>()...};
}
template <typename T>
inline constexpr auto table = functions<T>(std::make_index_sequence<operations>());

}  // namespace gondwana::gasnet::atomics
