// OpenSHMEM 1.6, section 9.9: collectives on teams.
#pragma once

#include <algorithm>
#include <complex>

#include "front/shmem/door.hpp"
#include "front/shmem/team.hpp"

namespace gondwana::shmem {

enum class ReduceOp : std::uint8_t { sum, max, min };

template <ReduceOp Op, typename T>
constexpr T combined(const T& a, const T& b) {
  if constexpr (Op == ReduceOp::sum)
    return static_cast<T>(a + b);
  else if constexpr (Op == ReduceOp::max)
    return std::max(a, b);
  else
    return std::min(a, b);
}

// The engine's Combine for one operation on one type. `out` may be `a`.
template <ReduceOp Op, typename T>
void combine(void* out, const void* a, const void* b, std::size_t count) {
  auto* result = static_cast<T*>(out);
  const auto* left = static_cast<const T*>(a);
  const auto* right = static_cast<const T*>(b);
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) result[i] = combined<Op>(left[i], right[i]);
}

template <std::size_t Width>
int broadcast(Caller caller, shmem_team_t handle, void* dest, const void* source, std::size_t count,
              int root) {
  Team& team = team_of(caller, handle);
  if (root < 0 || static_cast<std::uint32_t>(root) >= team.size)
    give_up(caller.name, fmt::format("root {}: the team has {} members, 0 to {}", root, team.size,
                                     team.size - 1));
  check(caller, caller.engine.broadcast(team, caller.name, dest, source, bytes_of<Width>(count),
                                        static_cast<std::uint32_t>(root)));
  return 0;
}

template <ReduceOp Op, typename T>
int reduce(Caller caller, shmem_team_t handle, T* dest, const T* source, std::size_t count) {
  constexpr ElementType type{sizeof(T), &combine<Op, T>};
  check(caller,
        caller.engine.reduce(team_of(caller, handle), caller.name, dest, source, count, type));
  return 0;
}

}  // namespace gondwana::shmem
