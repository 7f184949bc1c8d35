// Arithmetic on half precision and bfloat16, by conversion to float.
#pragma once

#include <bit>
#include <cstdint>

#include "nvshmem_types.h"

namespace gondwana::nvshmem {

inline float to_number(__nv_bfloat16 value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

// Rounds to nearest, ties to even. A NaN stays a NaN.
inline __nv_bfloat16 to_bfloat16(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  if (number != number) return {static_cast<std::uint16_t>(bits >> 16 | 0x40)};
  return {static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

inline float to_number(half value) {
  const std::uint32_t sign = (value.bits & 0x8000U) << 16;
  const std::uint32_t exponent = value.bits >> 10 & 0x1f;
  const std::uint32_t fraction = value.bits & 0x3ff;
  if (exponent == 0) {  // in units of 2^-24
    const float size = static_cast<float>(fraction) * 0x1p-24F;
    return sign == 0 ? size : -size;
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xff : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

inline half to_half(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const std::uint32_t size = bits & 0x7fff'ffff;
  std::uint32_t half_size = 0;
  if (number != number)
    half_size = 0x7e00;
  else if (size >= 0x477f'f000)  // from 65520 on
    half_size = 0x7c00;
  else if (size < 0x3880'0000)  // below 2^-14: the addition rounds to units of 2^-24
    half_size = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5F) - 0x3f00'0000;
  else
    half_size = (size - 0x3800'0000 + 0xfff + (size >> 13 & 1)) >> 13;
  return {static_cast<std::uint16_t>(sign | half_size)};
}

}  // namespace gondwana::nvshmem
