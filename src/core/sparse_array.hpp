// A large array that a program uses sparsely. Untouched pages cost nothing. A zeroed T must be
// valid.
#pragma once

#include <new>
#include <type_traits>

#include "core/mapping.hpp"

namespace gondwana {

template <typename T, std::size_t Size>
class SparseArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer
  SparseArray() : pages_(Mapping::zeros(Size * sizeof(T))) {
    if (pages_.data() == nullptr) throw std::bad_alloc();
  }

  static constexpr std::size_t size() { return Size; }
  T& operator[](std::size_t place) const { return reinterpret_cast<T*>(pages_.data())[place]; }

 private:
  Mapping pages_;
};

}  // namespace gondwana
