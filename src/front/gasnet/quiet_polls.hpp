// Cheap polls for a long loop that finds nothing. The thread arms the doorbell of its rank as a
// sleeper does and polls thoroughly once. Until the doorbell rings, the next polls read one word.
#pragma once

#include <cstdint>

#include "sync/doorbell.hpp"

namespace gondwana::gasnet {

// State of one thread.
class QuietPolls {
 public:
  // True: a thorough poll would find nothing.
  bool is_quiet() {
    if (polls_ == 0 || rings_->load(std::memory_order_relaxed) != seen_) return false;
    --polls_;
    return true;
  }

  // Call it before the thorough poll, so that no message is missed. That poll may leave messages of
  // other senders: no poll is cheap before allow().
  void arm(Doorbell<RealAtomics>& bell) {
    end();
    if (is_armed(bell)) return;
    rings_ = &bell.rings;
    seen_ = bell.arm().seen;
  }
  // Call it after a thorough poll that found nothing. If the system refuses the heavy fence, a ring
  // can be missed, so the number of cheap polls is limited.
  void allow() { polls_ = most; }
  void end() { polls_ = 0; }
  static constexpr std::uint32_t most = 127;

 private:
  bool is_armed(const Doorbell<RealAtomics>& bell) const {
    return rings_ == &bell.rings && bell.any_sleeper() &&
           rings_->load(std::memory_order_relaxed) == seen_;
  }

  std::uint32_t polls_ = 0;  // cheap polls left
  std::uint32_t seen_ = 0;
  const RealAtomics::Word* rings_ = nullptr;
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local QuietPolls quiet_polls;

}  // namespace gondwana::gasnet
