#include "operations/accumulate.hpp"

namespace gondwana {
namespace {

// A number in memory, with any alignment.
template <typename T>
struct Unaligned {
  using Type __attribute__((aligned(1), may_alias)) = T;
};
template <typename T>
using In = typename Unaligned<T>::Type;

enum class Into : std::uint8_t { sum, copy };

template <Into Way, typename T>
void put(In<T>& to, T term) {
  if constexpr (Way == Into::sum)
    to = to + term;
  else
    to = term;
}

// Integers wrap around, so the computation uses unsigned types.
template <typename T>
struct Real {
  T by;

  template <Into Way>
  void run(std::byte* target, const std::byte* source, std::size_t size) const {
    auto* to = reinterpret_cast<In<T>*>(target);
    const auto* from = reinterpret_cast<const In<T>*>(source);
    const std::size_t count = size / sizeof(T);
    if (count == 1) return put<Way, T>(*to, by * *from);
    if (by == T{1}) {
#pragma omp simd
      for (std::size_t i = 0; i < count; ++i) put<Way, T>(to[i], from[i]);
      return;
    }
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) put<Way, T>(to[i], by * from[i]);
  }
};

template <typename T>
struct Complex {
  T real;
  T imaginary;

  template <Into Way>
  void run(std::byte* target, const std::byte* source, std::size_t size) const {
    auto* to = reinterpret_cast<In<T>*>(target);
    const auto* from = reinterpret_cast<const In<T>*>(source);
    const std::size_t numbers = size / sizeof(T);
#pragma omp simd
    for (std::size_t i = 0; i < numbers; i += 2) {
      const T re = from[i];
      const T im = from[i + 1];
      put<Way, T>(to[i], real * re - imaginary * im);
      put<Way, T>(to[i + 1], real * im + imaginary * re);
    }
  }
};

template <typename Loops>
Loops loops_by(const std::byte* scale) {
  Loops loops;
  std::memcpy(&loops, scale, sizeof(loops));
  return loops;
}

template <typename T>
Accumulation by_one(AccumulateType type, const T& one) {
  return {type, &one};
}

}  // namespace

template <typename Use>
void Accumulation::use_loops(const Use& use) const {
  switch (type_) {
    case AccumulateType::int32:
      return use(loops_by<Real<std::uint32_t>>(scale_.data()));
    case AccumulateType::int64:
      return use(loops_by<Real<std::uint64_t>>(scale_.data()));
    case AccumulateType::float32:
      return use(loops_by<Real<float>>(scale_.data()));
    case AccumulateType::float64:
      return use(loops_by<Real<double>>(scale_.data()));
    case AccumulateType::complex64:
      return use(loops_by<Complex<float>>(scale_.data()));
    case AccumulateType::complex128:
      return use(loops_by<Complex<double>>(scale_.data()));
  }
}

Accumulation Accumulation::unscaled(AccumulateType type) {
  switch (type) {
    case AccumulateType::int32:
      return by_one(type, std::uint32_t{1});
    case AccumulateType::int64:
      return by_one(type, std::uint64_t{1});
    case AccumulateType::float32:
      return by_one(type, 1.0F);
    case AccumulateType::complex64:
      return by_one(type, std::array{1.0F, 0.0F});
    case AccumulateType::complex128:
      return by_one(type, std::array{1.0, 0.0});
    case AccumulateType::float64:
      break;
  }
  return by_one(AccumulateType::float64, 1.0);
}

void Accumulation::add(std::byte* target, const std::byte* source, std::size_t size) const {
  use_loops([&](const auto& loops) { loops.template run<Into::sum>(target, source, size); });
}

void Accumulation::scale(std::byte* target, const std::byte* source, std::size_t size) const {
  use_loops([&](const auto& loops) { loops.template run<Into::copy>(target, source, size); });
}

}  // namespace gondwana
