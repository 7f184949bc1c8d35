#include "sync/atomics.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace gondwana {

bool register_for_heavy_fence() {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

bool RealAtomics::heavy_fence() {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

void RealAtomics::futex_wait(Word& word, std::uint32_t value, Timeout timeout) {
  timespec limit{};
  if (timeout) {
    limit.tv_sec = timeout->count() / 1'000'000;
    limit.tv_nsec = timeout->count() % 1'000'000 * 1000;
  }
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, timeout ? &limit : nullptr, nullptr, 0);
}

void RealAtomics::futex_wake_all(Word& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace gondwana
