// The atomic operations: one template for every operation on every type, and a table of them for
// operations that arrive as numbers in a message.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace gondwana {

enum class AtomicOp : std::uint8_t { fetch, add, swap, compare_swap, bit_and, bit_or, bit_xor };
enum class AtomicType : std::uint8_t { int32, uint32, int64, uint64, float32, float64 };

inline constexpr std::size_t atomic_ops = 7;
inline constexpr std::size_t atomic_types = 6;

template <typename T>
concept AtomicValue =
    (std::integral<T> || std::floating_point<T>) && (sizeof(T) == 4 || sizeof(T) == 8);

template <AtomicValue T>
constexpr AtomicType atomic_type_of() {
  if constexpr (std::floating_point<T>)
    return sizeof(T) == 4 ? AtomicType::float32 : AtomicType::float64;
  else if constexpr (std::signed_integral<T>)
    return sizeof(T) == 4 ? AtomicType::int32 : AtomicType::int64;
  else
    return sizeof(T) == 4 ? AtomicType::uint32 : AtomicType::uint64;
}

constexpr std::size_t width(AtomicType type) {
  return type == AtomicType::int32 || type == AtomicType::uint32 || type == AtomicType::float32 ? 4
                                                                                                : 8;
}

// Bitwise operations exist on integers only.
template <AtomicOp Op, typename T>
concept AtomicApplies =
    AtomicValue<T> && (std::integral<T> || (Op != AtomicOp::bit_and && Op != AtomicOp::bit_or &&
                                            Op != AtomicOp::bit_xor));

// Applies `Op` at `target` and returns the old value. compare_swap stores `operand` if it finds
// `compare`. It compares bits, so -0.0 and NaN are ordinary values. All operations are sequentially
// consistent: OpenSHMEM does not require it, but locked instructions provide it, and users' locks
// and counters expect it.
template <AtomicOp Op, typename T>
  requires AtomicApplies<Op, T>
inline T apply_atomic(T& target, T operand, T compare) {
  const std::atomic_ref<T> cell(target);
  if constexpr (Op == AtomicOp::fetch)
    return cell.load(std::memory_order_seq_cst);
  else if constexpr (Op == AtomicOp::add)
    return cell.fetch_add(operand, std::memory_order_seq_cst);
  else if constexpr (Op == AtomicOp::swap)
    return cell.exchange(operand, std::memory_order_seq_cst);
  else if constexpr (Op == AtomicOp::bit_and)
    return cell.fetch_and(operand, std::memory_order_seq_cst);
  else if constexpr (Op == AtomicOp::bit_or)
    return cell.fetch_or(operand, std::memory_order_seq_cst);
  else if constexpr (Op == AtomicOp::bit_xor)
    return cell.fetch_xor(operand, std::memory_order_seq_cst);
  else {
    cell.compare_exchange_strong(compare, operand, std::memory_order_seq_cst);
    return compare;
  }
}

// An operation in the form of messages.
struct AtomicRequest {
  AtomicOp op;
  AtomicType type;
  std::uint64_t operand = 0;  // bytes of a value of `type`, starting with the first
  std::uint64_t compare = 0;
};

template <AtomicOp Op, AtomicValue T>
inline AtomicRequest atomic_request(T operand, T compare) {
  AtomicRequest request{Op, atomic_type_of<T>()};
  std::memcpy(&request.operand, &operand, sizeof(T));
  std::memcpy(&request.compare, &compare, sizeof(T));
  return request;
}

// Executes a request at `target` and returns the bytes of the old value. A null entry in the table:
// the operation does not exist for that type.
using AtomicExecutor = std::uint64_t (*)(void* target, const AtomicRequest& request);

namespace detail {

template <AtomicOp Op, typename T>
std::uint64_t execute(void* target, const AtomicRequest& request) {
  T operand;
  T compare;
  std::memcpy(&operand, &request.operand, sizeof(T));
  std::memcpy(&compare, &request.compare, sizeof(T));
  const T old = apply_atomic<Op>(*static_cast<T*>(target), operand, compare);
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &old, sizeof(T));
  return bytes;
}

template <AtomicOp Op, typename T>
constexpr AtomicExecutor executor() {
  if constexpr (AtomicApplies<Op, T>) return &execute<Op, T>;
  return nullptr;
}

template <AtomicOp Op>
constexpr std::array<AtomicExecutor, atomic_types> executors() {
  return {executor<Op, std::int32_t>(), executor<Op, std::uint32_t>(),
          executor<Op, std::int64_t>(), executor<Op, std::uint64_t>(),
          executor<Op, float>(),        executor<Op, double>()};
}

}  // namespace detail

inline constexpr std::array<std::array<AtomicExecutor, atomic_types>, atomic_ops> atomic_table{
    detail::executors<AtomicOp::fetch>(),   detail::executors<AtomicOp::add>(),
    detail::executors<AtomicOp::swap>(),    detail::executors<AtomicOp::compare_swap>(),
    detail::executors<AtomicOp::bit_and>(), detail::executors<AtomicOp::bit_or>(),
    detail::executors<AtomicOp::bit_xor>()};

inline AtomicExecutor find_executor(AtomicOp op, AtomicType type) {
  return atomic_table.at(static_cast<std::size_t>(op)).at(static_cast<std::size_t>(type));
}

}  // namespace gondwana
