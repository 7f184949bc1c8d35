// A number for the layout of structures that several processes share: names, types, order and sizes
// of their fields, at any depth. Two builds with the same number interpret the same bytes alike,
// with any compiler.
//
// A new field changes the number by itself. A class with private fields has a `layout_version`;
// raise it when they change. A new meaning of a value does not change the number.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/hash.hpp"
#include "core/structure_list.hpp"

namespace gondwana {

constexpr std::uint64_t fingerprint(std::initializer_list<std::uint64_t> numbers) {
  Hash all;
  for (const std::uint64_t number : numbers) all.add(number);
  return all.value();
}

namespace structure {

// Converts to any type of field.
struct AnyField {
  template <typename T>
  constexpr operator T() const noexcept;  // NOLINT: never defined
};

template <typename T, std::size_t... I>
consteval bool takes(std::index_sequence<I...> /*fields*/) {
  return requires { T{(static_cast<void>(I), AnyField{})...}; };
}

template <typename T, std::size_t N = 0>
consteval std::size_t count() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>()))
    return count<T, N + 1>();
  else
    return N;
}

// An object that is never constructed, for the addresses of its fields.
template <typename T>
union Unmade {
  char nothing;
  T object;
  constexpr Unmade() : nothing() {}
  constexpr ~Unmade() {}  // NOLINT
};
template <typename T>
inline constexpr Unmade<T> unmade{};

// The last name in the compiler's name for this function: the name of the field.
template <const auto* Field>
consteval auto name() {  // auto: the compiler would print a named type after the field
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t end = text.find_last_of(letters) + 1;
  const std::size_t before = text.find_last_not_of(letters, end - 1);
  return text.substr(before + 1, end - before - 1);
}

// Pointers to the fields.
template <typename T>
consteval auto fields() {
  constexpr const T& o = unmade<T>.object;
  constexpr std::size_t n = count<T>();
  static_assert(n <= 18, "too many fields: add a line here");
  if constexpr (n == 0) return std::tuple();
  // clang-format off
  else if constexpr (n == 1) { auto& [a] = o; return std::tuple(&a); }
  else if constexpr (n == 2) { auto& [a, b] = o; return std::tuple(&a, &b); }
  else if constexpr (n == 3) { auto& [a, b, c] = o; return std::tuple(&a, &b, &c); }
  else if constexpr (n == 4) { auto& [a, b, c, d] = o; return std::tuple(&a, &b, &c, &d); }
  else if constexpr (n == 5) { auto& [a, b, c, d, e] = o; return std::tuple(&a, &b, &c, &d, &e); }
  else if constexpr (n == 6) { auto& [a, b, c, d, e, f] = o; return std::tuple(&a, &b, &c, &d, &e, &f); }
  else if constexpr (n == 7) { auto& [a, b, c, d, e, f, g] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g); }
  else if constexpr (n == 8) { auto& [a, b, c, d, e, f, g, h] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h); }
  else if constexpr (n == 9) { auto& [a, b, c, d, e, f, g, h, i] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i); }
  else if constexpr (n == 10) { auto& [a, b, c, d, e, f, g, h, i, j] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j); }
  else if constexpr (n == 11) { auto& [a, b, c, d, e, f, g, h, i, j, k] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k); }
  else if constexpr (n == 12) { auto& [a, b, c, d, e, f, g, h, i, j, k, l] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l); }
  else if constexpr (n == 13) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m); }
  else if constexpr (n == 14) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &p); }
  else if constexpr (n == 15) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &p, &q); }
  else if constexpr (n == 16) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &p, &q, &r); }
  else if constexpr (n == 17) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &p, &q, &r, &s); }
  else if constexpr (n == 18) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, p, q, r, s, t] = o; return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &p, &q, &r, &s, &t); }
  // clang-format on
}

template <typename T>
struct Describe;

template <typename T>
consteval void add(Hash& to) {
  to.add(sizeof(T)).add(alignof(T));
  Describe<T>::add(to);
}

template <typename T, std::size_t... I>
consteval void add_fields(Hash& to, std::index_sequence<I...> /*fields*/) {
  constexpr auto all = fields<T>();
  (...,
   (to.add(name<std::get<I>(all)>()), add<std::remove_cvref_t<decltype(*std::get<I>(all))>>(to)));
}

template <typename T>
struct Describe {
  static consteval void add(Hash& to) {
    if constexpr (std::is_enum_v<T>) {
      to.add(1);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::byte>) {
      to.add(2).add(std::is_signed_v<T>).add(std::is_floating_point_v<T>);
    } else if constexpr (std::is_union_v<T>) {
      to.add(5);  // a type of the system, such as a mutex: its size is enough
    } else if constexpr (std::is_aggregate_v<T>) {
      add_fields<T>(to, std::make_index_sequence<count<T>()>());
    } else {
      to.add(T::layout_version);
    }
  }
};
template <typename T>
struct Describe<std::atomic<T>> {
  static consteval void add(Hash& to) { structure::add<T>(to.add(3)); }
};
template <typename T, std::size_t N>
struct Describe<std::array<T, N>> {
  static consteval void add(Hash& to) { structure::add<T>(to.add(4).add(N)); }
};

}  // namespace structure

// The fingerprint of all types together.
template <typename... Structures>
consteval std::uint64_t fingerprint_of() {
  Hash all;
  (..., structure::add<Structures>(all));
  return all.value();
}

template <typename... Structures>
consteval std::uint64_t fingerprint_of(StructureList<Structures...> /*list*/) {
  return fingerprint_of<Structures...>();
}

}  // namespace gondwana
