// Whether the process of a rank still exists and runs the same program: a lock in shared memory
// that its first thread holds. The kernel releases it for a thread that ends and for a program that
// exec replaces, and tells the next process that tries it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace gondwana {

struct Presence {
  pthread_mutex_t lock;
  std::atomic<std::uint32_t> process;         // of the thread; 0: never taken
  std::atomic<std::uint32_t> is_taking_part;  // 1: its end would be a loss to the others

  // The rank's process calls each once. The second function must be called by its first thread; in
  // other threads it does nothing.
  void take();
  void take_part();
  // From now on the end of the process is expected.
  void leave() { is_taking_part.store(0, std::memory_order_relaxed); }
  // For a process that goes on after the job: its memory may go. False: this thread is not the
  // first one, which still holds the lock, so the memory must stay.
  bool release();
  // Called by other processes: whether the thread has ended or another program runs. Stays true.
  bool is_lost();
};

}  // namespace gondwana
