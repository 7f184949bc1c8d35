// A wait that takes longer than a spin, as steps between two looks at what is waited for:
//
//   LongWait wait(waiter, why);
//   while (!done()) wait.step();
//   wait.end();
//
// A step receives messages and moves the network on; then it relaxes, yields, arms a doorbell or
// sleeps. Messages and bytes from the network arrive in bursts: a rank that slept between two of
// them would take longer to wake up than to wait. So a wait spins and yields anew after each.
#pragma once

#include "engine/wait/waiter.hpp"

namespace gondwana {

// Shows tools what a thread waits for. Within another one it does nothing.
class ShownWait {
 public:
  ShownWait(Waiting& waiting, const WaitReason& why);
  ShownWait(const ShownWait&) = delete;
  ShownWait& operator=(const ShownWait&) = delete;
  ~ShownWait() {
    if (waiting_ != nullptr) waiting_->end();
  }

 private:
  Waiting* waiting_;
};

// Need not be ended: one that is dropped has shown nothing that stays.
class LongWait {
 public:
  // The caller has spun before.
  LongWait(Waiter& waiter, const WaitReason& why);

  // One step of that spin, for a caller that has looked `looks` times. False: it is time to begin a
  // long wait.
  static bool keep_spinning(Waiter& waiter, std::uint32_t& looks) {
    if (looks >= waiter.workers_.mine().wait_policy.spins()) return false;
    looks = waiter.receive_messages() > 0 ? 1 : looks + 1;
    if (looks >= WaitPolicy::eager_spins) relax();
    return true;
  }

  // The caller has just looked, and found nothing.
  void step();
  // The caller has found it.
  void end();

 private:
  enum class Phase : std::uint8_t { spin, yield, sleep };

  bool poll();
  void begin_again();
  void spin();
  void yield();
  void sleep();
  Timeout timeout(std::chrono::microseconds limit) const;

  Waiter& waiter_;
  WaitReason why_;
  Worker& worker_;
  Doorbell<RealAtomics>& bell_;
  Watch watch_;
  bool sleeps_on_network_;
  Phase phase_ = Phase::yield;
  std::uint32_t looks_ = 0;   // all
  std::uint32_t spins_ = 0;   // since something came
  std::uint32_t sleeps_ = 0;  // likewise
  WaitPolicy::Yields yields_{};
  std::optional<Doorbell<RealAtomics>::Armed> armed_;
};

}  // namespace gondwana
