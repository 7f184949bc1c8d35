// Reductions that OpenSHMEM lacks: of half-precision numbers, and reduce-scatter. Each PE fetches
// the contributions of all members and reduces them in the order of the team, so all get the same
// bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "front/nvshmem/elements.hpp"
#include "front/nvshmem/float16.hpp"
#include "front/nvshmem/say.hpp"
#include "front/nvshmem/teams.hpp"
#include "shmemx.h"

namespace gondwana::nvshmem {

enum class Operator { bit_and, bit_or, bit_xor, min, max, sum, prod };

template <Operator Op, typename T>
T apply(T one, T other) {
  if constexpr (Op == Operator::min) return std::min(one, other);
  if constexpr (Op == Operator::max) return std::max(one, other);
  if constexpr (std::is_integral_v<T>) {
    using Word = std::common_type_t<unsigned, std::make_unsigned_t<T>>;  // integers wrap around
    const auto a = static_cast<Word>(one);
    const auto b = static_cast<Word>(other);
    if constexpr (Op == Operator::bit_and) return static_cast<T>(a & b);
    if constexpr (Op == Operator::bit_or) return static_cast<T>(a | b);
    if constexpr (Op == Operator::bit_xor) return static_cast<T>(a ^ b);
    if constexpr (Op == Operator::sum) return static_cast<T>(a + b);
    if constexpr (Op == Operator::prod) return static_cast<T>(a * b);
  } else {
    if constexpr (Op == Operator::sum) return one + other;
    if constexpr (Op == Operator::prod) return one * other;
  }
}

// Half-precision results are rounded once, at the end.
template <typename T>
auto widened(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return value;
  else
    return to_number(value);
}
template <typename T>
T narrowed(decltype(widened(T())) value) {
  if constexpr (std::is_arithmetic_v<T>)
    return value;
  else if constexpr (std::is_same_v<T, half>)
    return to_half(value);
  else
    return to_bfloat16(value);
}

// Ends the job if no process could hold `count` elements for each of `parts`.
template <typename T>
void require_possible(std::size_t count, int parts) {
  constexpr std::size_t most = std::size_t{1} << 47;  // bytes; more than a process can address
  if (count <= most / sizeof(T) / static_cast<std::size_t>(std::max(parts, 1))) return;
  give_up("reduction", std::to_string(count) + " elements: no process has that many");
}

// `source` exists on all members. `dest` receives the `count` elements of the result.
template <Operator Op, typename T>
int reduce_fetched(shmem_team_t team, T* dest, const T* source, std::size_t count) {
  std::vector<decltype(widened(T()))> result(count);
  std::vector<T> terms(count);
  const int members = shmem_team_n_pes(team);
  shmem_team_sync(team);  // all sources are written
  for (int member = 0; member < members; ++member) {
    const int pe = shmem_team_translate_pe(team, member, SHMEM_TEAM_WORLD);
    shmem_getmem(terms.data(), source, count * sizeof(T), pe);
    for (std::size_t i = 0; i < count; ++i)
      result[i] = member == 0 ? widened(terms[i]) : apply<Op>(result[i], widened(terms[i]));
  }
  shmem_team_sync(team);  // all sources have been read, so `dest` may overlap one
  std::ranges::transform(result, terms.begin(), narrowed<T>);
  return shmemx_device_memcpy(dest, terms.data(), count * sizeof(T));
}

template <Operator Op, typename T>
int reduce(nvshmem_team_t team, T* dest, const T* source, std::size_t count) {
  require_possible<T>(count, 1);
  return reduce_fetched<Op>(team_of(team), dest, source, count);
}

template <Operator Op, typename T>
int reducescatter(nvshmem_team_t team, T* dest, const T* source, std::size_t count) {
  require_possible<T>(count, team_n_pes(team));
  const std::size_t before = static_cast<std::size_t>(team_my_pe(team)) * count;
  return reduce_fetched<Op>(team_of(team), dest, source + before, count);
}

}  // namespace gondwana::nvshmem
