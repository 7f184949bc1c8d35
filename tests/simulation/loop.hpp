// The loop of a process around its decisions, as Guardian and Conductor have one: handles what is
// ready, does what is due, and sleeps.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "simulation/random.hpp"
#include "simulation/schedule.hpp"

namespace gondwana::simulation {

class Loop {
 public:
  struct Body {
    std::function<void()> step;
    std::function<std::optional<Time>()> next;
    std::function<void()> on_spin;  // it goes round and round, and time does not pass
  };

  // `schedule` must outlive this, and this what is scheduled.
  Loop(Schedule& schedule, Random random, Body body)
      : schedule_(schedule), random_(random), body_(std::move(body)) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Something is ready. What is ready in the same round is handled in any order.
  void post(std::function<void()> handler);
  // The process is stopped, or gets no processor.
  void pause(Time until);
  void end() { ended_ = true; }
  bool has_ended() const { return ended_; }
  bool is_paused() const { return schedule_.now() < paused_until_; }

 private:
  void wake_at(Time time);
  void round();

  Schedule& schedule_;
  Random random_;
  Body body_;
  std::vector<std::function<void()>> ready_;
  Time wake_ns_ = 0;  // 0: nothing is scheduled
  std::uint64_t wakes_ = 0;
  Time paused_until_ = 0;
  std::uint32_t spins_ = 0;
  bool ended_ = false;
};

}  // namespace gondwana::simulation
