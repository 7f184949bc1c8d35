// OpenSHMEM 1.6, distributed locking. What they are is in engine/job_lock.hpp.
#pragma once

#include "engine/job_lock.hpp"
#include "front/shmem/checks.hpp"

namespace gondwana::shmem {

// That a lock is symmetric is asked by the engine, checks or not.
inline void examine_lock(const Caller& caller, const long* lock) {
  if (caller.is_watched()) [[unlikely]]
    examine_own(caller, {"lock", lock, sizeof(*lock)});
}

inline void set_lock(Caller caller, long* lock) {
  examine_lock(caller, lock);
  check(caller, set_job_lock(caller.engine, caller.name, lock));
}

// 0: taken; 1: somebody has it.
inline int test_lock(Caller caller, long* lock) {
  examine_lock(caller, lock);
  const std::optional<bool> taken = test_job_lock(caller.engine, caller.name, lock);
  check(caller, taken.has_value());
  return *taken ? 0 : 1;
}

inline void clear_lock(Caller caller, long* lock) {
  examine_lock(caller, lock);
  check(caller, clear_job_lock(caller.engine, caller.name, lock));
}

}  // namespace gondwana::shmem
