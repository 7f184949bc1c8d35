// Whether the process that a rank was is still there and runs the same program: a lock in shared
// memory that its first thread holds. The kernel gives it up for a thread that ends and for a
// program that another replaces by exec, and says so to the next process that tries it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace gondwana {

struct Presence {
  pthread_mutex_t lock;
  std::atomic<std::uint32_t> process;         // its number; 0: nobody has taken it
  std::atomic<std::uint32_t> is_taking_part;  // 1: its end would be a loss to the others

  // By the process that is the rank, once; the second by its first thread, or it does nothing.
  void take();
  void take_part();
  // Its end is told by itself.
  void leave() { is_taking_part.store(0, std::memory_order_relaxed); }
  // By others: the thread has ended, or another program runs. Yes from then on.
  bool is_lost();
};

}  // namespace gondwana
