// A list of types, such as the structures of a kind of memory or of a message. core/fingerprint.hpp
// computes its number.
#pragma once

#include <type_traits>

namespace gondwana {

template <typename... Structures>
struct StructureList {
  template <typename T>
  static constexpr bool has = (... || std::is_same_v<T, Structures>);
};

// Whether T is in List.
template <typename T, typename List>
concept ListedIn = List::template has<T>;

}  // namespace gondwana
