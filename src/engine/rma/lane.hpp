// An injection resource: its incomplete operations, and its first error.
//
// On-node operations touch a lane only to fail. An exclusive lane is used by one thread at a time
// and has its own slot and shortcut. Any thread may use a shared lane at any time. Each thread
// counts in its own slot; the owner of the wire guards what is posted over it.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "core/counters.hpp"
#include "core/result.hpp"
#include "engine/rma/kind_copies.hpp"
#include "engine/rma/posted_operations.hpp"
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
  void cover(std::uint32_t end) { shortcut_.cover(end); }
  PostedOperations& posted() { return posted_; }

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

  // A call on this lane has done nothing, because a rank has died. `deaths`: their number so far.
  void note_loss(std::uint32_t deaths) { lost_at_.store(deaths, std::memory_order_relaxed); }
  // The number of the last note; 0: none since the last call.
  std::uint32_t take_loss() { return lost_at_.exchange(0, std::memory_order_relaxed); }

  // Device copies. They are complete after Rma::quiet() or fence().
  KindCopies& kind_copies() { return kind_copies_; }

 private:
  CounterBlock* own_ = nullptr;  // null: shared
  Workers* workers_ = nullptr;
  Shortcut shortcut_;
  Workers::Lease lease_;
  PostedOperations posted_;
  std::atomic<bool> failed_{false};
  std::mutex error_mutex_;  // guards error_
  std::optional<Error> error_;
  std::atomic<std::uint32_t> lost_at_{0};
  KindCopies kind_copies_;
};

}  // namespace gondwana
