// Scaled addition of arrays: target = target + scale * source, element by element.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gondwana {

enum class AccumulateType : std::uint8_t { int32, int64, float32, float64, complex64, complex128 };

inline constexpr std::size_t accumulate_types = 6;

constexpr std::size_t width(AccumulateType type) {
  constexpr std::array<std::size_t, accumulate_types> widths{4, 8, 4, 8, 8, 16};
  return widths.at(static_cast<std::size_t>(type));
}

// The type of the numbers in an element. A complex element consists of two.
constexpr AccumulateType component(AccumulateType type) {
  if (type == AccumulateType::complex64) return AccumulateType::float32;
  return type == AccumulateType::complex128 ? AccumulateType::float64 : type;
}

// The scaled addition of elements of one type. Integers wrap around.
class Accumulation {
 public:
  // `scale`: one element.
  Accumulation(AccumulateType type, const void* scale) : type_(type) {
    switch (width(type)) {  // sizes that the compiler knows
      case 4:
        std::memcpy(scale_.data(), scale, 4);
        break;
      case 8:
        std::memcpy(scale_.data(), scale, 8);
        break;
      default:
        std::memcpy(scale_.data(), scale, 16);
        break;
    }
  }
  // The elements without a scale.
  static Accumulation unscaled(AccumulateType type);

  AccumulateType type() const { return type_; }

  // Arrays of `size` bytes, which must be whole elements, with any alignment. They must not
  // overlap.
  void add(std::byte* target, const std::byte* source, std::size_t size) const;
  // The scaled elements alone. `target` may be `source`.
  void scale(std::byte* target, const std::byte* source, std::size_t size) const;

 private:
  template <typename Use>
  void use_loops(const Use& use) const;

  AccumulateType type_;
  alignas(16) std::array<std::byte, 16> scale_{};
};

}  // namespace gondwana
