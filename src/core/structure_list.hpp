// A list of types, such as the structures that a kind of memory, or a kind of message, is made of.
// core/fingerprint.hpp has its number.
#pragma once

#include <type_traits>

namespace gondwana {

template <typename... Structures>
struct StructureList {
  template <typename T>
  static constexpr bool has = (... || std::is_same_v<T, Structures>);
};

// T is in List.
template <typename T, typename List>
concept ListedIn = List::template has<T>;

}  // namespace gondwana
