// OpenSHMEM 1.6, distributed locking. What they are is in engine/job_lock.hpp.
#pragma once

#include "engine/job_lock.hpp"
#include "front/shmem/door.hpp"

namespace gondwana::shmem {

inline void set_lock(Caller caller, long* lock) {
  check(caller, set_job_lock(caller.engine, caller.name, lock));
}

// 0: taken; 1: somebody has it.
inline int test_lock(Caller caller, long* lock) {
  const std::optional<bool> taken = test_job_lock(caller.engine, caller.name, lock);
  check(caller, taken.has_value());
  return *taken ? 0 : 1;
}

inline void clear_lock(Caller caller, long* lock) {
  check(caller, clear_job_lock(caller.engine, caller.name, lock));
}

}  // namespace gondwana::shmem
