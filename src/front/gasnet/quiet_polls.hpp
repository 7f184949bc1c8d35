// Cheap polls for a long loop that finds nothing. The thread arms the doorbell of its rank as a
// sleeper does and polls thoroughly once. Until the doorbell rings, the next polls read one word.
// No doorbell rings for messages from other nodes, so in a job on several nodes the cheap polls
// also end after some microseconds. They do not begin soon after a message was sent to another
// node, because its answer is awaited.
#pragma once

#include <cstdint>
#include <utility>

#include "core/ticks.hpp"
#include "sync/doorbell.hpp"

namespace gondwana::gasnet {

// State of one thread.
class QuietPolls {
 public:
  // True: a thorough poll would find nothing, or comes soon enough.
  bool is_quiet() {
    if (polls_ == 0 || rings_->load(std::memory_order_relaxed) != seen_) return false;
    if (until_ != never && ticks() >= until_) return false;
    --polls_;
    return true;
  }

  // Call it before the thorough poll, so that no message is missed. That poll may leave messages of
  // other senders: no poll is cheap before allow(). Returns the number of cheap polls before.
  std::uint32_t arm(Doorbell<RealAtomics>& bell) {
    const std::uint32_t polls = end();
    if (is_armed(bell)) return polls;
    rings_ = &bell.rings;
    seen_ = bell.arm().seen;
    return polls;
  }
  // Call it after a thorough poll that found nothing. If the system refuses the heavy fence, a ring
  // can be missed, so the number of cheap polls is limited. `until`: in ticks().
  void allow(std::uint64_t until = never) {
    polls_ = allowed_ = most;
    until_ = until;
  }
  // Returns the number of cheap polls since allow().
  std::uint32_t end() { return std::exchange(allowed_, 0) - std::exchange(polls_, 0); }

  // Call it before each thorough poll. `is_busy`: something was sent to another node since the last
  // one, or is still in flight. Returns whether that was long ago.
  bool is_idle(bool is_busy) {
    if (is_busy) active_ = after_sending;
    if (active_ > 0) --active_;
    return active_ == 0;
  }

  static constexpr std::uint32_t most = 127;
  static constexpr std::uint32_t after_sending = 256;  // thorough polls, some 100 us
  static constexpr std::uint64_t never = ~std::uint64_t{0};

 private:
  bool is_armed(const Doorbell<RealAtomics>& bell) const {
    return rings_ == &bell.rings && bell.any_sleeper() &&
           rings_->load(std::memory_order_relaxed) == seen_;
  }

  std::uint32_t polls_ = 0;  // cheap polls left
  std::uint32_t seen_ = 0;
  const RealAtomics::Word* rings_ = nullptr;
  std::uint64_t until_ = never;
  std::uint32_t allowed_ = 0;
  std::uint32_t active_ = 0;  // thorough polls until none may be in flight
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local QuietPolls quiet_polls;

}  // namespace gondwana::gasnet
