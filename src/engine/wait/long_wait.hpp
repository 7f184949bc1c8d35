// A wait that takes longer than a spin, as steps between two polls of its condition:
//
//   LongWait wait(waiter, why);
//   while (!done()) wait.step();
//   wait.end();
//
// A step receives messages and makes network progress. Then it relaxes, yields, arms a doorbell or
// sleeps. Messages and network data arrive in bursts. A rank that slept between two of them would
// lose more time to waking up than to waiting. So a wait starts again with spins and yields after
// each arrival.
#pragma once

#include "engine/wait/waiter.hpp"

namespace gondwana {

// Shows tools the wait of a thread, with `awaited` for its words. Has no effect within another
// ShownWait.
class ShownWait {
 public:
  ShownWait(Waiting& waiting, const WaitReason& why, const Awaited& awaited = {});
  ShownWait(const ShownWait&) = delete;
  ShownWait& operator=(const ShownWait&) = delete;
  ~ShownWait() {
    if (waiting_ != nullptr) waiting_->end();
  }

 private:
  Waiting* waiting_;
};

// end() is optional: a dropped wait leaves no visible state.
class LongWait {
 public:
  // The caller has already spun.
  LongWait(Waiter& waiter, const WaitReason& why);

  // One step of the initial spin, for a caller that has polled `polled` times. Returns false when a
  // long wait should begin.
  static bool keep_spinning(Waiter& waiter, std::uint32_t& polled) {
    if (polled >= waiter.workers_.mine().wait_policy.spins()) return false;
    polled = waiter.receive_messages() > 0 ? 1 : polled + 1;
    if (polled >= WaitPolicy::eager_spins) relax();
    return true;
  }

  // The caller has just polled without success.
  void step();
  // The caller's condition holds.
  void end();

 private:
  enum class Phase : std::uint8_t { spin, yield, sleep };

  bool poll();
  void begin_again();
  void spin();
  void yield();
  bool came_late() const;
  void sleep();
  Timeout timeout(std::chrono::microseconds limit) const;

  Waiter& waiter_;
  WaitReason why_;
  Worker& worker_;
  Doorbell<RealAtomics>& bell_;
  Watch watch_;
  bool sleeps_on_network_;
  Phase phase_ = Phase::yield;
  std::uint32_t polls_ = 0;   // total polls
  std::uint32_t spins_ = 0;   // since the last arrival
  std::uint32_t sleeps_ = 0;  // since the last arrival
  WaitPolicy::Yields yields_{};
  std::optional<Doorbell<RealAtomics>::Armed> armed_;
};

}  // namespace gondwana
