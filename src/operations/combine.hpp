// Combines two arrays element by element, for the reductions of every door.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "operations/element_type.hpp"

namespace gondwana {

enum class CombineOp : std::uint8_t { bit_and, bit_or, bit_xor, max, min, sum, prod };

// Bitwise operations exist on integers only. Integers of either sign wrap around: they are computed
// as unsigned integers of at least 32 bits, because smaller ones would be promoted to int.
template <CombineOp Op, typename T>
constexpr T combined(const T& a, const T& b) {
  if constexpr (Op == CombineOp::bit_and) return static_cast<T>(a & b);
  if constexpr (Op == CombineOp::bit_or) return static_cast<T>(a | b);
  if constexpr (Op == CombineOp::bit_xor) return static_cast<T>(a ^ b);
  if constexpr (Op == CombineOp::max) return std::max(a, b);
  if constexpr (Op == CombineOp::min) return std::min(a, b);
  if constexpr (Op == CombineOp::sum || Op == CombineOp::prod) {
    if constexpr (std::is_integral_v<T>) {
      using Wide = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;
      const auto left = static_cast<Wide>(a);
      const auto right = static_cast<Wide>(b);
      return static_cast<T>(Op == CombineOp::sum ? left + right : left * right);
    } else if constexpr (Op == CombineOp::sum) {
      return a + b;
    } else {
      return a * b;
    }
  }
}

// A Combine.
template <CombineOp Op, typename T>
void combine(void* out, const void* a, const void* b, std::size_t count) {
  auto* result = static_cast<T*>(out);
  const auto* left = static_cast<const T*>(a);
  const auto* right = static_cast<const T*>(b);
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) result[i] = combined<Op>(left[i], right[i]);
}

template <CombineOp Op, typename T>
inline constexpr ElementType element_type{sizeof(T), &combine<Op, T>};

}  // namespace gondwana
