// An injection resource: its incomplete operations, and its first error.
//
// On-node operations touch a lane only to fail. An exclusive lane is used by one thread at a time
// and has its own slot and shortcut. Any thread may use a shared lane at any time. Each thread
// counts in its own slot; the owner of the wire guards what is posted over it.
#pragma once

#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/counters.hpp"
#include "core/result.hpp"
#include "engine/rma/shortcut.hpp"
#include "engine/wait/worker.hpp"
#include "remote/transport.hpp"

namespace gondwana {

class Lane {
 public:
  // Puts up to this size return before delivery: their bytes are copied to a bounce buffer.
  static constexpr std::size_t bounce_limit = 8 * 1024;

  // Shared; `workers` must outlive it.
  explicit Lane(Workers& workers) : workers_(&workers) {}
  // Exclusive. `shortcut` counts into `thread_slot`, or reaches no rank.
  Lane(ThreadSlot& thread_slot, const Shortcut& shortcut, Workers::Lease lease = {})
      : own_(&thread_slot.counters), shortcut_(shortcut), lease_(std::move(lease)) {}

  CounterBlock& counters() const {
    return own_ != nullptr ? *own_ : workers_->mine().thread_slot->counters;
  }
  const Shortcut& shortcut() const { return shortcut_; }
  Completion& pending() { return pending_; }
  // The transport's mark for the operations that the latest fence orders. The turn guards it.
  std::uint64_t fence_mark() const { return fence_mark_; }
  void set_fence_mark(std::uint64_t mark) { fence_mark_ = mark; }

  // Latches `error` unless one is latched already. Always returns false, for use in `return`.
  bool fail(Error error) {
    const std::scoped_lock lock(error_mutex_);
    if (!error_) error_ = std::move(error);
    failed_.store(true, std::memory_order_relaxed);
    return false;
  }
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  std::optional<Error> take_error() {
    const std::scoped_lock lock(error_mutex_);
    failed_.store(false, std::memory_order_relaxed);
    return std::exchange(error_, std::nullopt);
  }

  // A copy of `source` that lives until reset_bounce(). Empty if there is no room left. The turn
  // guards the copies.
  Bytes bounce(Bytes source) {
    if (buffer_.empty()) buffer_.resize(buffer_size);
    if (source.size() > buffer_.size() - bounced_) return {};
    std::byte* copy = buffer_.data() + bounced_;
    std::memcpy(copy, source.data(), source.size());
    bounced_ += source.size();
    return {copy, source.size()};
  }
  // Gives back the latest copy.
  void drop_bounced(Bytes copy) { bounced_ -= copy.size(); }
  void reset_bounce() {
    GONDWANA_ASSERT(pending_.done(), bounced_);
    bounced_ = 0;
  }

 private:
  static constexpr std::size_t buffer_size = 256 * 1024;

  CounterBlock* own_ = nullptr;  // null: shared
  Workers* workers_ = nullptr;
  Shortcut shortcut_;
  Workers::Lease lease_;
  Completion pending_;
  std::uint64_t fence_mark_ = 0;
  std::atomic<bool> failed_{false};
  std::mutex error_mutex_;  // guards error_
  std::optional<Error> error_;
  std::vector<std::byte> buffer_;  // never grows: bounced bytes must not move
  std::size_t bounced_ = 0;
};

}  // namespace gondwana
