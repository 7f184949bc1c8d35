// What else goes on in a process while one of its threads waits long: other threads that take turns
// with it, or a library such as MPI that moves only when it is called. The front door that knows of
// them is the companion of every long wait.
//
// There is one for the process and not for an engine, because threads and libraries are the
// process's.
#pragma once

#include <atomic>

namespace gondwana {

class WaitCompanion {
 public:
  WaitCompanion(const WaitCompanion&) = delete;
  WaitCompanion& operator=(const WaitCompanion&) = delete;

  // Called by a waiting thread now and then: before it yields or sleeps.
  virtual void step() = 0;
  // Whether step() must be called although nothing happens: no sleep may be untimed.
  virtual bool needs_steps() = 0;
  // Called around each sleep of a waiting thread.
  virtual void leave() = 0;
  virtual void come_back() = 0;

  // Null: there is none.
  static WaitCompanion* present() { return of_process.load(std::memory_order_acquire); }
  // It is never destroyed: another thread may be in one of its functions.
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
