// The network of a job on several nodes, as a waiting rank sees it.
#pragma once

#include <atomic>
#include <chrono>

#include "core/ticks.hpp"
#include "engine/wait/rare_polls.hpp"

namespace gondwana {

class NetworkProgress {
 public:
  NetworkProgress(const NetworkProgress&) = delete;
  NetworkProgress& operator=(const NetworkProgress&) = delete;

  // Makes progress unless another thread does. Returns true if any progress was made.
  virtual bool progress() = 0;
  // The same for a call that does not wait. Makes progress rarely if the program makes many of
  // them and has nothing in flight.
  bool progress_rarely() {
    if (needs_calls()) return progress();
    const std::uint64_t begin = poll_clock();
    if (!rare_polls_.is_due(begin)) return false;
    const bool found = progress();
    rare_polls_.polled(begin, poll_clock(), found);
    return found;
  }
  // Returns when data may have arrived, or after `limit`.
  virtual void sleep(std::chrono::microseconds limit) = 0;

  // Whether posted operations may need further calls by this rank.
  bool needs_calls() const { return needs_calls_.load(std::memory_order_relaxed); }

 protected:
  NetworkProgress() = default;
  ~NetworkProgress() = default;
  void set_needs_calls(bool needs) { needs_calls_.store(needs, std::memory_order_relaxed); }

 private:
  std::atomic<bool> needs_calls_{false};
  RarePolls rare_polls_;
};

}  // namespace gondwana
