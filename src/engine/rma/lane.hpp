// An injection resource: its incomplete operations, and its first error.
//
// On-node operations touch a lane only to fail. An exclusive lane is used by one thread at a time
// and has its own slot and shortcut. Any thread may use a shared lane at any time. Each thread
// counts in its own slot; the owner of the wire guards what is posted over it.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/counters.hpp"
#include "core/result.hpp"
#include "engine/rma/kind_copies.hpp"
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
  // The completion of operations that are posted now.
  Completion& pending() { return pending_[generation() % 2]; }
  // Operations belong to generations, so that a thread can wait for the operations so far while
  // other threads post more. Operations of at most two generations are in flight.
  std::uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }
  bool is_done() const { return pending_[0].done() && pending_[1].done(); }
  // Whether all operations up to this generation are complete. Begins the next generation if
  // possible. The caller has the turn.
  bool is_complete(std::uint64_t generation) {
    if (this->generation() == generation && !begin_generation()) return false;
    return this->generation() > generation + 1 || pending_[generation % 2].done();
  }
  // False: operations of the previous generation are still in flight. The caller has the turn.
  bool begin_generation() {
    const std::uint64_t next = generation() + 1;
    if (!pending_[next % 2].done()) return false;
    generation_.store(next, std::memory_order_relaxed);
    bounced_ = 0;
    return true;
  }
  bool has_lost() const { return pending_[0].has_failed() || pending_[1].has_failed(); }
  // The error of an operation in a complete generation, returned once.
  const Error* take_loss() {
    const Error* const first = pending_[0].take_loss();
    const Error* const second = pending_[1].take_loss();
    return first != nullptr ? first : second;
  }
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

  // Device copies. They are complete after Rma::quiet() or fence().
  KindCopies& kind_copies() { return kind_copies_; }

  // A copy of `source` that lives until its generation is complete. Empty if the buffer of this
  // generation is full. The caller has the turn.
  Bytes bounce(Bytes source) {
    if (buffer_.empty()) buffer_.resize(2 * bytes_of_generation);
    if (source.size() > bytes_of_generation - bounced_) return {};
    std::byte* copy = buffer_.data() + generation() % 2 * bytes_of_generation + bounced_;
    std::memcpy(copy, source.data(), source.size());
    bounced_ += source.size();
    return {copy, source.size()};
  }
  // Frees the latest copy.
  void drop_bounced(Bytes copy) { bounced_ -= copy.size(); }

 private:
  static constexpr std::size_t bytes_of_generation = 128 * 1024;

  CounterBlock* own_ = nullptr;  // null: shared
  Workers* workers_ = nullptr;
  Shortcut shortcut_;
  Workers::Lease lease_;
  std::array<Completion, 2> pending_;  // of the even and odd generations
  std::atomic<std::uint64_t> generation_{0};
  std::uint64_t fence_mark_ = 0;
  std::atomic<bool> failed_{false};
  std::mutex error_mutex_;  // guards error_
  std::optional<Error> error_;
  std::vector<std::byte> buffer_;  // never grows: bounced bytes must not move
  std::size_t bounced_ = 0;        // bytes used in this generation
  KindCopies kind_copies_;
};

}  // namespace gondwana
