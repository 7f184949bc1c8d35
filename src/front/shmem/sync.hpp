// OpenSHMEM 1.6, sections 9.10 to 9.12: waiting for memory, ordering, barriers.
#pragma once

#include <atomic>
#include <functional>

#include "front/shmem/door.hpp"
#include "front/shmem/team.hpp"
#include "shmem.h"

namespace gondwana::shmem {

// Calls `use` with the function object that a SHMEM_CMP_ constant means.
template <typename Use>
auto with_comparison(const Caller& caller, int cmp, const Use& use) {
  switch (cmp) {
    case SHMEM_CMP_EQ:
      return use(std::equal_to<>{});
    case SHMEM_CMP_NE:
      return use(std::not_equal_to<>{});
    case SHMEM_CMP_GT:
      return use(std::greater<>{});
    case SHMEM_CMP_GE:
      return use(std::greater_equal<>{});
    case SHMEM_CMP_LT:
      return use(std::less<>{});
    case SHMEM_CMP_LE:
      return use(std::less_equal<>{});
    default:
      give_up(caller.name,
              fmt::format("comparison {}: expected SHMEM_CMP_EQ, NE, GT, GE, LT or LE", cmp));
  }
}

// One whole look at memory that peers write; what they wrote before is visible after it.
template <typename T>
T look(T* cell) {
  return std::atomic_ref<T>(*cell).load(std::memory_order_acquire);
}

template <typename T>
void wait_until(Caller caller, T* cell, int cmp, T value) {
  with_comparison(caller, cmp, [&](auto compare) {
    caller.engine.wait_on_memory(caller.name, [&] { return compare(look(cell), value); });
  });
}

template <typename T>
int test(Caller caller, T* cell, int cmp, T value) {
  return with_comparison(caller, cmp,
                         [&](auto compare) { return compare(look(cell), value) ? 1 : 0; });
}

inline void fence(Caller caller) {
  caller.engine.fence(caller.lane);
}

inline void quiet(Caller caller) {
  check(caller, caller.engine.quiet(caller.lane));
}

inline void barrier_all(Caller caller) {
  check(caller, caller.engine.barrier(caller.engine.world(), caller.name));
}

inline void sync_all(Caller caller) {
  caller.engine.sync(caller.engine.world(), caller.name);
}

inline int team_sync(Caller caller, shmem_team_t team) {
  caller.engine.sync(team_of(caller, team), caller.name);
  return 0;
}

}  // namespace gondwana::shmem
