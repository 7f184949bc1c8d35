// Waits for nonblocking calls, and the fences around direct loads and stores.
#pragma once

#include <atomic>

#include "front/armci/door.hpp"

namespace gondwana::armci {

inline int wait(CallName call, armci_hdl_t* handle) {
  Entry(call)->transfers().wait(call, handle);
  return 0;
}

inline int test(CallName call, armci_hdl_t* handle) {
  return Entry(call)->transfers().is_over(call, handle) ? 0 : 1;
}

inline int wait_for_process(CallName call, int proc) {
  const Entry here(call);
  here->checked_rank(call, proc);
  here->transfers().wait_for_all(call);
  return 0;
}

inline int wait_for_all(CallName call) {
  Entry(call)->transfers().wait_for_all(call);
  return 0;
}

inline void begin_access(CallName /*call*/) {
  std::atomic_thread_fence(std::memory_order_acquire);
}

inline void end_access(CallName /*call*/) {
  std::atomic_thread_fence(std::memory_order_release);
}

}  // namespace gondwana::armci
