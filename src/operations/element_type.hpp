// The properties of array elements that a reduction needs.
#pragma once

#include <cstddef>

namespace gondwana {

// Combines `count` elements of `a` and `b` into `out`, which may be either.
using Combine = void (*)(void* out, const void* a, const void* b, std::size_t count);

struct ElementType {
  std::size_t size;
  Combine combine;
};

}  // namespace gondwana
