// The network of a job on several nodes, as a waiting rank sees it.
#pragma once

#include <atomic>
#include <chrono>

namespace gondwana {

class NetworkProgress {
 public:
  NetworkProgress(const NetworkProgress&) = delete;
  NetworkProgress& operator=(const NetworkProgress&) = delete;

  // Makes progress unless another thread does. Returns true if any progress was made.
  virtual bool progress() = 0;
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
};

}  // namespace gondwana
