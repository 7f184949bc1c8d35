// Other work in a process while one of its threads waits long: other threads that take turns with
// it, or a library such as MPI that makes progress only when it is called. The front door that
// knows of this work is the companion of every long wait.
//
// Each process has one companion, shared by its engines, because threads and libraries belong to
// the process.
#pragma once

#include <atomic>

namespace gondwana {

class WaitCompanion {
 public:
  WaitCompanion(const WaitCompanion&) = delete;
  WaitCompanion& operator=(const WaitCompanion&) = delete;

  // Called by a waiting thread before it yields or sleeps.
  virtual void step() = 0;
  // Whether step() must be called periodically, so that every sleep needs a timeout.
  virtual bool needs_steps() = 0;
  // Called before and after each sleep of a waiting thread.
  virtual void leave() = 0;
  virtual void come_back() = 0;

  // Null: no companion.
  static WaitCompanion* present() { return of_process.load(std::memory_order_acquire); }
  // `companion` is never destroyed, because another thread may be in one of its functions.
  static void set_present(WaitCompanion* companion) {
    of_process.store(companion, std::memory_order_release);  // pairs with present()
  }

 protected:
  constexpr WaitCompanion() = default;
  ~WaitCompanion() = default;

 private:
  static std::atomic<WaitCompanion*> of_process;
};

}  // namespace gondwana
