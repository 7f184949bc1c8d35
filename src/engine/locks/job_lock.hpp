// Locks of the whole job, each one symmetric `long`, zero on every rank at first.
//
// The long is cut into two 32-bit words of a QueueLock: the first, at the lock's home rank, is the
// tail; the second, at every rank, that rank's node. The home follows from the address, so that the
// tails of many locks lie on many ranks. Where ranks have several threads, these take turns first.
//
// Calls return false or nothing where they failed; the default lane then holds the sentence. They
// may be made by many threads where the engine may.
#pragma once

#include <optional>

#include "engine/locks/lock_turns.hpp"
#include "engine/rma/rma.hpp"
#include "engine/wait/waiter.hpp"
#include "sync/queue_lock.hpp"

namespace gondwana {

// What locks work with, and the turns of threads at them.
struct JobLocks {
  Reach reach;
  SymmetricRanges symmetric;
  Rank me;
  std::uint32_t ranks;
  Rma& rma;
  Waiter& waiter;
  Workers& workers;
  Lane& lane;
  CounterBlock& counters;  // of the default lane, where one thread at a time uses it
  bool checks;
  bool is_oversubscribed = true;  // the node has more ranks than processors
  LockTurns turns{};
};

// Any spread over the ranks will do that is the same on all of them.
inline Rank home_of_lock(std::size_t offset, std::uint32_t ranks) {
  const auto mixed = static_cast<std::uint32_t>(offset / sizeof(long)) * 0x9e37'79b1U;
  return Rank(static_cast<std::uint32_t>(std::uint64_t{mixed} * ranks >> 32));
}

// The words of a lock where loads and stores reach all ranks; false where they do not, where
// threads must take turns first, and where the lock is not symmetric.
//
// A value whose parts the compiler keeps in registers: a lock that nobody else wants takes two
// locked instructions, and each waits for all that was stored before it.
class NearLockWords {
 public:
  [[gnu::always_inline]] NearLockWords(JobLocks& locks, CallName call, const long* lock)
      : locks_(locks), call_(call) {
    if (locks.workers.threads() == Threads::many || !locks.reach.covers_all(locks.ranks))
        [[unlikely]]
      return;
    constexpr FixedSize<sizeof(long)> size;
    const SymmetricRanges& ranges = locks.symmetric;
    offset_ = ranges.distance(lock);
    if (!ranges.is_in_arena(offset_, size)) [[unlikely]] {
      offset_ = ranges.offset_in_globals(lock, size);
      if (offset_ == SymmetricRanges::nowhere) return;
    }
    tail_ = words_of(home_of_lock(offset_, locks.ranks));
    // By its place in the arena, as the peers know it: processors are slow where one line is used
    // by two addresses, as that of a global variable would be.
    node_ = reinterpret_cast<std::uint32_t*>(ranges.arena + offset_) + 1;
    if (node_ == nullptr) __builtin_unreachable();  // so that nobody looks
    counters_ = &locks.counters;
  }

  explicit operator bool() const { return node_ != nullptr; }

  std::uint32_t swap_tail(std::uint32_t value) const {
    return apply<AtomicOp::swap>(*tail_, value, 0);
  }
  std::uint32_t compare_swap_tail(std::uint32_t expected, std::uint32_t value) const {
    return apply<AtomicOp::compare_swap>(*tail_, value, expected);
  }
  // Alone in waking its member: nobody waits for a tail.
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
    const int looks = locks_.is_oversubscribed ? 0 : first_looks;
    for (int i = 0; i < looks; ++i) {
      if (done()) return;
      relax();
    }
    locks_.waiter.on_memory(call_, done, member);
  }

 private:
  static constexpr int first_looks = 200;

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
  std::size_t offset_ = 0;
  std::uint32_t* tail_ = nullptr;
  std::uint32_t* node_ = nullptr;
  CounterBlock* counters_ = nullptr;
};

// A call in two steps: the first does all there is to do where nobody else wants the lock, and
// tells the second what it has to do otherwise. Between them they do the work of the call.
inline constexpr std::uint32_t lock_call_done = 0;
inline constexpr std::uint32_t lock_call_not_begun = ~0U;  // no rank has this name

// Waits for it, behind all who came before. What holders before put is visible then.
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

// Takes it where it is free: true; false where it is not.
std::optional<bool> test_job_lock(JobLocks& locks, CallName call, long* lock);

// Completes all operations of the default lane, then gives it to the next in the queue. Where loads
// and stores reach everybody, the operations are complete when another rank can see the lock free.
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
