// When operations that a call has begun are complete.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/assert.hpp"
#include "core/result.hpp"

namespace gondwana {

// Counts operations in flight. The poster begins them. Any thread finishes them, or fails them with
// the loss of their peer. Must not be destroyed before it is done.
class Completion {
 public:
  void begin() { under_way_.fetch_add(1, std::memory_order_relaxed); }
  void finish() {
    const std::uint64_t before = under_way_.fetch_sub(1, std::memory_order_release);
    GONDWANA_ASSERT(before > 0, before);  // release pairs with done()
  }
  // `loss` lives as long as the completion.
  void fail(const Error& loss) {
    loss_.store(&loss, std::memory_order_relaxed);
    finish();
  }
  bool done() const { return under_way_.load(std::memory_order_acquire) == 0; }
  bool has_failed() const { return loss_.load(std::memory_order_relaxed) != nullptr; }
  // Once it is done: why an operation has failed, told once; null if none has.
  const Error* take_loss() {
    return has_failed() ? loss_.exchange(nullptr, std::memory_order_relaxed) : nullptr;
  }

 private:
  std::atomic<std::uint64_t> under_way_{0};
  std::atomic<const Error*> loss_{nullptr};
};

}  // namespace gondwana
