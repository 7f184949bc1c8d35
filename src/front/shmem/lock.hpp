// OpenSHMEM 1.6, distributed locking. engine/locks/job_lock.hpp implements the locks.
#pragma once

#include "engine/locks/job_lock.hpp"
#include "front/shmem/checks.hpp"
#include "front/shmem/waiting.hpp"

namespace gondwana::shmem {

// The engine always checks that a lock is symmetric.
inline void examine_lock(const Caller& caller, const long* lock) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_own(caller, {"lock", lock, sizeof(*lock)});
}

// Once a PE has died, the holder of a lock may be dead or wait for a dead PE. Then a call that
// would wait fails, until all PEs live again and the program knows of the deaths. Returns false if
// this call has taken the lock or has failed.
[[gnu::cold]] inline bool may_wait_for_lock(const Caller& caller, long* lock) {
  const Losses& losses = caller.engine.waiter().losses();
  const std::uint32_t deaths = losses.list().size();
  if (deaths == 0) return true;
  if (!losses.is_unknown(deaths) && !losses.list().has_any(caller.engine.ranks())) return true;
  const std::optional<bool> taken = test_job_lock(caller.engine.locks(), caller.name, lock);
  check(caller, taken.has_value());
  if (taken && !*taken) note_loss({deaths});
  return false;
}

// The slow paths are out of line. A jump reaches them, so a free lock needs no frame.

template <AnyCaller C>
[[gnu::noinline]] void set_lock_slowly(C caller, long* lock, std::uint32_t before) {
  const Caller resolved = caller;
  examine_lock(resolved, lock);
  if (resolved.examines() && before == lock_call_not_begun && !may_wait_for_lock(resolved, lock))
    return;
  try {
    check(resolved, finish_set_lock(resolved.engine.locks(), resolved.name, lock, before));
  } catch (const HopelessWait& hopeless) {
    note_loss(hopeless);
  }
}

template <AnyCaller C>
[[gnu::always_inline]] inline void set_lock(C caller, long* lock) {
  if (caller.checks_enabled()) [[unlikely]]
    return set_lock_slowly(caller, lock, lock_call_not_begun);
  const Caller resolved = caller;
  const std::uint32_t before = begin_set_lock(resolved.engine.locks(), resolved.name, lock);
  if (before != lock_call_done) [[unlikely]]
    set_lock_slowly(caller, lock, before);
}

// Returns 0 if it takes the lock, or 1 if another PE holds it.
inline int test_lock(Caller caller, long* lock) {
  examine_lock(caller, lock);
  const std::optional<bool> taken = test_job_lock(caller.engine.locks(), caller.name, lock);
  check(caller, taken.has_value());
  return 1 - polled_once(caller, taken.value_or(false));
}

template <AnyCaller C>
[[gnu::noinline]] void clear_lock_slowly(C caller, long* lock, std::uint32_t last) {
  const Caller resolved = caller;
  examine_lock(resolved, lock);
  try {
    check(resolved, finish_clear_lock(resolved.engine.locks(), resolved.name, lock, last));
  } catch (const HopelessWait& hopeless) {
    note_loss(hopeless);
  }
}

template <AnyCaller C>
[[gnu::always_inline]] inline void clear_lock(C caller, long* lock) {
  if (caller.checks_enabled()) [[unlikely]]
    return clear_lock_slowly(caller, lock, lock_call_not_begun);
  const Caller resolved = caller;
  const std::uint32_t last = begin_clear_lock(resolved.engine.locks(), resolved.name, lock);
  if (last != lock_call_done) [[unlikely]]
    clear_lock_slowly(caller, lock, last);
}

}  // namespace gondwana::shmem
