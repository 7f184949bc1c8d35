// Locks of the whole job. A lock is a symmetric `long`, initially zero on every rank.
//
// The long holds two 32-bit words of a QueueLock. The first, at the lock's home rank, is the tail;
// the second, at every rank, is that rank's node. The home follows from the address, so the tails
// of many locks are spread over the ranks. Threads of a rank take turns first.
//
// Calls return false or nothing if they fail; the default lane then holds the error. Many threads
// may call if the engine allows many threads.
#pragma once

#include <optional>

#include "engine/locks/lock_turns.hpp"
#include "engine/rma/rma.hpp"
#include "engine/wait/waiter.hpp"
#include "sync/queue_lock.hpp"

namespace gondwana {

// The resources of locks, and the order of threads at them.
struct JobLocks {
  Reach reach;
  SymmetricRanges symmetric;
  Rank me;
  std::uint32_t homes;     // the ranks over which locks are spread: the same number at all ranks
  std::uint32_t capacity;  // no rank has this number or a higher one
  Rma& rma;
  Waiter& waiter;
  Workers& workers;
  Lane& lane;
  CounterBlock& counters;  // counters of the default lane, if one thread at a time uses it
  bool checks;
  bool is_oversubscribed = true;  // the node has more ranks than processors
  LockTurns turns{};
};

// The spread over the ranks is arbitrary, but must be the same on all of them.
inline Rank home_of_lock(std::size_t offset, std::uint32_t ranks) {
  const auto mixed = static_cast<std::uint32_t>(offset / sizeof(long)) * 0x9e37'79b1U;
  return Rank(static_cast<std::uint32_t>(std::uint64_t{mixed} * ranks >> 32));
}

// The words of a lock if loads and stores reach all ranks. Converts to false if they do not, if
// threads must take turns first, or if the lock is not symmetric.
//
// The compiler keeps the object in registers. An uncontended lock takes two locked instructions,
// and each waits for all earlier stores.
class NearLockWords {
 public:
  [[gnu::always_inline]] NearLockWords(JobLocks& locks, CallName call, const long* lock)
      : locks_(locks), call_(call), lock_(lock) {
    if (locks.workers.threads() == Threads::many || !locks.reach.covers_all(locks.homes))
        [[unlikely]]
      return;
    constexpr FixedSize<sizeof(long)> size;
    const SymmetricRanges& ranges = locks.symmetric;
    offset_ = ranges.distance(lock);
    if (!ranges.is_in_arena(offset_, size)) [[unlikely]] {
      offset_ = ranges.offset_in_globals(lock, size);
      if (offset_ == SymmetricRanges::nowhere) return;
    }
    tail_ = words_of(home_of_lock(offset_, locks.homes));
    // Uses the address in the arena, as peers do. Processors are slow if one cache line is accessed
    // through two addresses, and a global variable also has an address outside the arena.
    node_ = reinterpret_cast<std::uint32_t*>(ranges.arena + offset_) + 1;
    if (node_ == nullptr) __builtin_unreachable();  // so that the compiler omits null checks
    counters_ = &locks.counters;
  }

  explicit operator bool() const { return node_ != nullptr; }

  std::uint32_t swap_tail(std::uint32_t value) const {
    return apply<AtomicOp::swap>(*tail_, value, 0);
  }
  std::uint32_t compare_swap_tail(std::uint32_t expected, std::uint32_t value) const {
    return apply<AtomicOp::compare_swap>(*tail_, value, expected);
  }
  // The only function that wakes its member, because no rank waits for a tail.
  void add_to_node(std::uint32_t member, std::uint32_t value) const {
    apply<AtomicOp::add>(words_of(Rank(member))[1], value, 0);
    Reach::wake(locks_.reach.window(Rank(member)));
  }
  std::uint32_t node() const {
    return std::atomic_ref(*node_).load(std::memory_order_acquire);  // pairs with add_to_node()
  }
  void set_node(std::uint32_t value) const {
    std::atomic_ref(*node_).store(value, std::memory_order_relaxed);
  }
  template <typename Done>
  void wait_for(std::uint32_t member, const Done& done) const {
    const int polls = locks_.is_oversubscribed ? 0 : first_polls;
    for (int i = 0; i < polls; ++i) {
      if (done()) return;
      relax();
    }
    locks_.waiter.on_memory(call_, done, member, lock_);
  }

 private:
  static constexpr int first_polls = 200;

  std::uint32_t* words_of(Rank rank) const {
    return reinterpret_cast<std::uint32_t*>(locks_.reach.window(rank) + offset_);
  }
  template <AtomicOp Op>
  std::uint32_t apply(std::uint32_t& word, std::uint32_t operand, std::uint32_t compare) const {
    counters_->add(Count::atomics);
    return apply_atomic<Op>(word, operand, compare);
  }

  const JobLocks& locks_;
  CallName call_;
  const long* lock_;
  std::size_t offset_ = 0;
  std::uint32_t* tail_ = nullptr;
  std::uint32_t* node_ = nullptr;
  CounterBlock* counters_ = nullptr;
};

// A call in two steps. The first does all the work if the lock is uncontended. Otherwise its result
// tells the second step how to continue.
inline constexpr std::uint32_t lock_call_done = 0;
inline constexpr std::uint32_t lock_call_not_begun = ~0U;  // no rank has this number

// Waits for the lock, after all earlier ranks. Puts of earlier holders are then visible.
[[gnu::always_inline]] inline std::uint32_t begin_set_lock(JobLocks& locks, CallName call,
                                                           const long* lock) {
  const NearLockWords words(locks, call, lock);
  if (!words) [[unlikely]]
    return lock_call_not_begun;
  QueueLock queue(words, index(locks.me));
  if (queue.is_mine()) [[unlikely]]
    return lock_call_not_begun;
  return queue.enter();
}
bool finish_set_lock(JobLocks& locks, CallName call, long* lock, std::uint32_t before);

// Takes the lock if it is free. Returns whether it did.
std::optional<bool> test_job_lock(JobLocks& locks, CallName call, long* lock);

// Completes all operations of the default lane, then passes the lock to the next rank. If loads and
// stores reach all ranks, the operations complete before another rank sees the lock free.
[[gnu::always_inline]] inline std::uint32_t begin_clear_lock(JobLocks& locks, CallName call,
                                                             const long* lock) {
  const NearLockWords words(locks, call, lock);
  if (!words || locks.lane.failed()) [[unlikely]]
    return lock_call_not_begun;
  QueueLock queue(words, index(locks.me));
  if (!queue.is_mine()) [[unlikely]]
    return lock_call_not_begun;
  return queue.leave();
}
bool finish_clear_lock(JobLocks& locks, CallName call, long* lock, std::uint32_t last);

}  // namespace gondwana
