// The SHMEM_CMP_ constants. Each asks whether an integer is inside or outside a range, so one loop
// without a branch serves all six.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "front/shmem/door.hpp"
#include "memory/control_page.hpp"
#include "shmem.h"

namespace gondwana::shmem {

// Holds for the integers from `first` to `last`, or for all others.
template <std::integral T>
class Condition {
 public:
  using Distance = std::make_unsigned_t<T>;

  constexpr Condition(T first, T last, bool inside)
      : first_(first), span_(distance(first, last)), inside_(inside) {}

  constexpr bool holds(T value) const { return (distance(first_, value) <= span_) == inside_; }

 private:
  // Modulo 2^n. A value before `from` is further away than the end of the range.
  static constexpr Distance distance(T from, T to) {
    return static_cast<Distance>(static_cast<Distance>(to) - static_cast<Distance>(from));
  }

  T first_;
  Distance span_;
  bool inside_;
};

// The description of a wait for `count` words, for tools. `cmp` is one of the SHMEM_CMP_ constants.
template <std::integral T>
constexpr Awaited awaited(int cmp, T value, std::size_t count = 1) {
  using Relation = Awaited::Relation;
  constexpr std::array relations{Relation::equal,    Relation::unequal, Relation::greater,
                                 Relation::at_least, Relation::less,    Relation::at_most};
  return {.value = static_cast<std::uint64_t>(value),
          .words = static_cast<std::uint32_t>(count),
          .size = sizeof(T),
          .is_signed = std::is_signed_v<T>,
          .relation = relations[static_cast<std::size_t>(cmp - SHMEM_CMP_EQ)]};
}

// The same if each word is compared with its own value.
template <std::integral T>
constexpr Awaited awaited(int /*cmp*/, const T* /*values*/, std::size_t count) {
  return {.words = static_cast<std::uint32_t>(count),
          .size = sizeof(T),
          .is_signed = std::is_signed_v<T>};
}

class Comparison {
 public:
  // Ends the job if `cmp` is not a SHMEM_CMP_ constant.
  Comparison(const Caller& caller, int cmp) : cmp_(cmp) {
    if (cmp < SHMEM_CMP_EQ || cmp > SHMEM_CMP_LE) [[unlikely]]
      give_up(caller.name,
              fmt::format("comparison {}: expected SHMEM_CMP_EQ, NE, GT, GE, LT or LE", cmp));
  }

  template <std::integral T>
  constexpr Condition<T> with(T value) const {
    constexpr T least = std::numeric_limits<T>::min();
    constexpr T most = std::numeric_limits<T>::max();
    switch (cmp_) {
      case SHMEM_CMP_EQ:
      case SHMEM_CMP_NE:
        return {value, value, cmp_ == SHMEM_CMP_EQ};
      case SHMEM_CMP_GE:
      case SHMEM_CMP_LT:
        return {value, most, cmp_ == SHMEM_CMP_GE};
      default:
        return {least, value, cmp_ == SHMEM_CMP_LE};
    }
  }

 private:
  static_assert(SHMEM_CMP_EQ == 1 && SHMEM_CMP_LE == 6, "in a row, for the check");
  int cmp_;
};

}  // namespace gondwana::shmem
