// Locks that detect misuse, and reader-writer locks.
#define GASNETT_THREAD_SAFE 1
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "gasnet_tools.h"

namespace {

// Its address identifies the calling thread.
thread_local char this_thread;

// The reader-writer locks that this thread holds for reading. Maintained with checks only.
thread_local std::vector<const void*> read_locks;

// The contents of a gasnett_rwlock_t.
struct Shared {
  pthread_rwlock_t lock;
  const void* writer;  // identifies a thread; set with checks only
};
static_assert(sizeof(Shared) <= sizeof(gasnett_rwlock_t));
static_assert(alignof(Shared) <= alignof(gasnett_rwlock_t));

Shared& shared(const gasnett_rwlock_t* lock) {
  return *reinterpret_cast<Shared*>(const_cast<gasnett_rwlock_t*>(lock));
}

// Other threads also write a holder, but never the address of this thread.
bool is_mine(const void* const& holder) {
  return std::atomic_ref(const_cast<const void*&>(holder)).load(std::memory_order_relaxed) ==
         &this_thread;
}

void set_holder(const void*& holder, const void* thread) {
  std::atomic_ref(holder).store(thread, std::memory_order_relaxed);
}

bool is_reader(const gasnett_rwlock_t* lock) {
  return std::ranges::find(read_locks, lock) != read_locks.end();
}

void demand(bool is_right, const char* call, const char* wrong) {
  if (!is_right) gasnett_fatalerror_nopos("%s: %s", call, wrong);
}

void demand_success(int error, const char* call) {
  if (error != 0) gasnett_fatalerror_nopos("%s: %s", call, std::strerror(error));
}

constexpr const char* held_already = "the calling thread already holds it";
constexpr const char* not_held = "the calling thread does not hold it";

void demand_new(const gasnett_rwlock_t* lock, int checks, const char* call) {
  if (checks != 0) demand(!is_mine(shared(lock).writer) && !is_reader(lock), call, held_already);
}

}  // namespace

void gondwana_gasnett_mutex_lock(gasnett_mutex_t* mutex) {
  demand(!is_mine(mutex->holder), "gasnett_mutex_lock", held_already);
  demand_success(pthread_mutex_lock(&mutex->mutex), "gasnett_mutex_lock");
  set_holder(mutex->holder, &this_thread);
}

int gondwana_gasnett_mutex_trylock(gasnett_mutex_t* mutex) {
  demand(!is_mine(mutex->holder), "gasnett_mutex_trylock", held_already);
  const int error = pthread_mutex_trylock(&mutex->mutex);
  if (error == 0) set_holder(mutex->holder, &this_thread);
  return error;
}

void gondwana_gasnett_mutex_unlock(gasnett_mutex_t* mutex) {
  demand(is_mine(mutex->holder), "gasnett_mutex_unlock", not_held);
  set_holder(mutex->holder, nullptr);
  demand_success(pthread_mutex_unlock(&mutex->mutex), "gasnett_mutex_unlock");
}

void gondwana_gasnett_mutex_destroy(gasnett_mutex_t* mutex) {
  demand_success(pthread_mutex_destroy(&mutex->mutex), "gasnett_mutex_destroy");
}

void gondwana_gasnett_mutex_assert(const gasnett_mutex_t* mutex, int is_held) {
  if (is_held != 0)
    demand(is_mine(mutex->holder), "gasnett_mutex_assertlocked", not_held);
  else
    demand(!is_mine(mutex->holder), "gasnett_mutex_assertunlocked", "the calling thread holds it");
}

void gondwana_gasnett_cond_wait(gasnett_cond_t* condition, gasnett_mutex_t* mutex) {
  demand(is_mine(mutex->holder), "gasnett_cond_wait", "the calling thread does not hold the mutex");
  set_holder(mutex->holder, nullptr);
  demand_success(pthread_cond_wait(condition, &mutex->mutex), "gasnett_cond_wait");
  set_holder(mutex->holder, &this_thread);
}

void gasnett_rwlock_init(gasnett_rwlock_t* lock) {
  Shared& target = shared(lock);
  demand_success(pthread_rwlock_init(&target.lock, nullptr), "gasnett_rwlock_init");
  set_holder(target.writer, nullptr);
}

void gondwana_gasnett_rwlock_destroy(gasnett_rwlock_t* lock, int checks) {
  demand_new(lock, checks, "gasnett_rwlock_destroy");
  const int error = pthread_rwlock_destroy(&shared(lock).lock);
  if (checks != 0) demand_success(error, "gasnett_rwlock_destroy");
}

void gondwana_gasnett_rwlock_rdlock(gasnett_rwlock_t* lock, int checks) {
  demand_new(lock, checks, "gasnett_rwlock_rdlock");
  // EAGAIN: the lock has the maximum number of readers. Wait until one releases it.
  while (pthread_rwlock_rdlock(&shared(lock).lock) == EAGAIN) sched_yield();
  if (checks != 0) read_locks.push_back(lock);
}

void gondwana_gasnett_rwlock_wrlock(gasnett_rwlock_t* lock, int checks) {
  demand_new(lock, checks, "gasnett_rwlock_wrlock");
  pthread_rwlock_wrlock(&shared(lock).lock);
  if (checks != 0) set_holder(shared(lock).writer, &this_thread);
}

int gondwana_gasnett_rwlock_tryrdlock(gasnett_rwlock_t* lock, int checks) {
  demand_new(lock, checks, "gasnett_rwlock_tryrdlock");
  const int error = pthread_rwlock_tryrdlock(&shared(lock).lock);
  if (error == 0 && checks != 0) read_locks.push_back(lock);
  return error;
}

int gondwana_gasnett_rwlock_trywrlock(gasnett_rwlock_t* lock, int checks) {
  demand_new(lock, checks, "gasnett_rwlock_trywrlock");
  const int error = pthread_rwlock_trywrlock(&shared(lock).lock);
  if (error == 0 && checks != 0) set_holder(shared(lock).writer, &this_thread);
  return error;
}

void gondwana_gasnett_rwlock_unlock(gasnett_rwlock_t* lock, int checks) {
  Shared& target = shared(lock);
  if (checks != 0) {
    const bool is_writer = is_mine(target.writer);
    demand(is_writer || is_reader(lock), "gasnett_rwlock_unlock", not_held);
    if (is_writer)
      set_holder(target.writer, nullptr);
    else
      std::erase(read_locks, lock);
  }
  pthread_rwlock_unlock(&target.lock);
}

void gondwana_gasnett_rwlock_assert(const gasnett_rwlock_t* lock, const char* state, int checks) {
  if (checks == 0) return;
  const bool reads = is_reader(lock);
  const bool writes = is_mine(shared(lock).writer);
  const auto is = [state](const char* name) { return std::strcmp(state, name) == 0; };
  const bool holds = (is("rdlocked") && reads) || (is("wrlocked") && writes) ||
                     (is("locked") && (reads || writes)) || (is("unlocked") && !reads && !writes);
  if (holds) return;
  gasnett_fatalerror_nopos("gasnett_rwlock_assert%s: the calling thread holds it %s", state,
                           reads    ? "for reading"
                           : writes ? "for writing"
                                    : "not at all");
}
