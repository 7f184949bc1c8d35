// The completion of operations that a call has started.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/assert.hpp"
#include "core/result.hpp"

namespace gondwana {

// Counts operations in flight. The poster begins them. Any thread finishes them, or fails them with
// the loss of their peer. A completion must be done before it is destroyed.
class Completion {
 public:
  void begin() { pending_.fetch_add(1, std::memory_order_relaxed); }
  void finish() {
    const std::uint64_t before = pending_.fetch_sub(1, std::memory_order_release);
    GONDWANA_ASSERT(before > 0, before);  // the release pairs with done()
  }
  // `loss` outlives the completion.
  void fail(const Error& loss) {
    loss_.store(&loss, std::memory_order_relaxed);
    finish();
  }
  bool done() const { return pending_.load(std::memory_order_acquire) == 0; }
  bool has_failed() const { return loss_.load(std::memory_order_relaxed) != nullptr; }
  // Valid once the completion is done. Returns the error of a failed operation, once. Null if none
  // failed.
  const Error* take_loss() {
    return has_failed() ? loss_.exchange(nullptr, std::memory_order_relaxed) : nullptr;
  }

 private:
  std::atomic<std::uint64_t> pending_{0};
  std::atomic<const Error*> loss_{nullptr};
};

}  // namespace gondwana
