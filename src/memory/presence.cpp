#include "memory/presence.hpp"

#include <unistd.h>

#include <cerrno>

namespace gondwana {

void Presence::take() {
  process.store(static_cast<std::uint32_t>(::getpid()), std::memory_order_relaxed);
}

void Presence::take_part() {
  if (::gettid() != ::getpid()) return;
  pthread_mutexattr_t attributes;
  ::pthread_mutexattr_init(&attributes);
  ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  const bool is_taken =
      ::pthread_mutex_init(&lock, &attributes) == 0 && ::pthread_mutex_lock(&lock) == 0;
  ::pthread_mutexattr_destroy(&attributes);
  if (is_taken) is_taking_part.store(1, std::memory_order_release);  // pairs with is_lost()
}

bool Presence::release() {
  if (is_taking_part.exchange(0, std::memory_order_relaxed) == 0) return true;
  return ::gettid() == ::getpid() && ::pthread_mutex_unlock(&lock) == 0;
}

bool Presence::is_lost() {
  if (is_taking_part.load(std::memory_order_acquire) == 0) return false;
  const int tried = ::pthread_mutex_trylock(&lock);
  if (tried == EOWNERDEAD) ::pthread_mutex_unlock(&lock);  // the next check finds it lost, too
  return tried == EOWNERDEAD || tried == ENOTRECOVERABLE;
}

}  // namespace gondwana
