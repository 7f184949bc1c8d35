#include "engine/locks/job_lock.hpp"

#include <fmt/format.h>

namespace gondwana {
namespace {

// The words of any lock, through the engine's atomics. After a failure of a wire, waits return at
// once.
class Words {
 public:
  Words(JobLocks& locks, CallName call, long* lock, std::size_t offset)
      : locks_(locks),
        call_(call),
        home_(home_of_lock(offset, locks.homes)),
        tail_(reinterpret_cast<std::uint32_t*>(lock)),
        node_(tail_ + 1) {}

  std::uint32_t swap_tail(std::uint32_t value) {
    return apply<AtomicOp::swap>(home_, tail_, value, 0);
  }
  std::uint32_t compare_swap_tail(std::uint32_t expected, std::uint32_t value) {
    return apply<AtomicOp::compare_swap>(home_, tail_, value, expected);
  }
  // Used by checks.
  std::uint32_t tail() { return apply<AtomicOp::fetch>(home_, tail_, 0, 0); }
  std::uint32_t node_of(std::uint32_t member) {
    return apply<AtomicOp::fetch>(Rank(member), node_, 0, 0);
  }
  // Only the home uses its tail.
  bool has_unused_tail() const {
    return home_ != locks_.me && std::atomic_ref(*tail_).load(std::memory_order_relaxed) != 0;
  }
  void add_to_node(std::uint32_t member, std::uint32_t value) {
    apply<AtomicOp::add>(Rank(member), node_, value, 0);
  }
  std::uint32_t node() const {
    return std::atomic_ref(*node_).load(std::memory_order_acquire);  // pairs with add_to_node()
  }
  void set_node(std::uint32_t value) {
    std::atomic_ref(*node_).store(value, std::memory_order_relaxed);
  }
  template <typename Done>
  [[gnu::noinline]] void wait_for(std::uint32_t member, const Done& done) {
    if (!failed_) locks_.waiter.on_memory(call_, done, member, tail_);
  }

  bool failed() const { return failed_; }

 private:
  template <AtomicOp Op>
  [[gnu::always_inline]] std::uint32_t apply(Rank at, std::uint32_t* word, std::uint32_t operand,
                                             std::uint32_t compare) {
    std::uint32_t old = 0;
    const Shortcut& shortcut = locks_.lane.shortcut();
    if (shortcut.try_atomic<Op>(at, word, operand, compare, old)) [[likely]]
      return old;
    return apply_elsewhere<Op>(at, word, operand, compare);
  }

  template <AtomicOp Op>
  [[gnu::noinline]] std::uint32_t apply_elsewhere(Rank at, std::uint32_t* word,
                                                  std::uint32_t operand, std::uint32_t compare) {
    const std::optional<std::uint32_t> old =
        locks_.rma.atomic<Op>(locks_.lane, at, word, operand, compare);
    if (!old) failed_ = true;
    return old.value_or(0);
  }

  const JobLocks& locks_;
  CallName call_;
  Rank home_;
  std::uint32_t* tail_;
  std::uint32_t* node_;
  bool failed_ = false;
};

bool takes_turns(const JobLocks& locks) {
  return locks.workers.threads() == Threads::many;
}

[[gnu::noinline]] void wait_for_turn(JobLocks& locks, CallName call, const long* lock) {
  const LockTurns::Ticket ticket = locks.turns.draw(lock);
  locks.waiter.on_memory(call, [&] { return ticket.has_come(); }, index(locks.me), lock);
}

[[gnu::noinline]] void pass_turn_on(JobLocks& locks, const long* lock) {
  locks.turns.pass_on(lock);
  Reach::wake(locks.reach.window(locks.me));
}

// Each function reports an error and returns false, for use in `return`.

[[gnu::cold, gnu::noinline]] bool refuse_memory(JobLocks& locks, const long* lock) {
  return locks.rma.check_symmetric(locks.lane, "a lock", lock, sizeof(long));
}

[[gnu::cold, gnu::noinline]] bool refuse_to_set(JobLocks& locks, const long* lock) {
  return locks.lane.fail(
      {Errc::invalid_argument,
       fmt::format("the lock at {} is already held by rank {}, which would wait for itself "
                   "forever; clear it first, and ensure that it was 0 on every rank at first",
                   fmt::ptr(lock), index(locks.me))});
}

[[gnu::cold, gnu::noinline]] bool refuse_to_clear(JobLocks& locks, const long* lock) {
  return locks.lane.fail(
      {Errc::invalid_argument,
       fmt::format("the lock at {} is not held by rank {}: only the rank that has set a lock may "
                   "clear it",
                   fmt::ptr(lock), index(locks.me))});
}

[[gnu::cold, gnu::noinline]] bool refuse_first_value(JobLocks& locks, const long* lock) {
  if (takes_turns(locks)) pass_turn_on(locks, lock);
  return locks.lane.fail(
      {Errc::invalid_argument,
       fmt::format("the lock at {} was not 0 on every rank before its first use; set it to 0 "
                   "and call a barrier on all ranks before the first use",
                   fmt::ptr(lock))});
}

// Whether a tail names no rank that may be in the queue.
bool is_invalid_name(const JobLocks& locks, std::uint32_t tail) {
  return tail > locks.capacity || tail == index(locks.me) + 1;
}

// The last rank in the queue stays there until the caller waits after it.
bool acquire_checked(JobLocks& locks, Words& words, QueueLock<Words>& queue, const long* lock) {
  if (words.has_unused_tail()) return refuse_first_value(locks, lock);
  const std::uint32_t before = queue.enter();
  if (before == QueueLock<Words>::nobody) return true;
  if (is_invalid_name(locks, before)) return refuse_first_value(locks, lock);
  const std::uint32_t node = words.node_of(before - 1);
  if (!words.failed() && !QueueLock<Words>::is_in_queue(node))
    return refuse_first_value(locks, lock);
  queue.wait_after(before);
  return true;
}

std::size_t offset_of(JobLocks& locks, const long* lock) {
  return locks.symmetric.offset_of(lock, sizeof(long));
}

// For any lock, with all error checks.

bool set_far_lock(JobLocks& locks, CallName call, long* lock) {
  const std::size_t offset = offset_of(locks, lock);
  if (offset == SymmetricRanges::nowhere) return refuse_memory(locks, lock);
  if (takes_turns(locks)) wait_for_turn(locks, call, lock);
  Words words(locks, call, lock, offset);
  QueueLock queue(words, index(locks.me));
  if (queue.is_mine()) return refuse_to_set(locks, lock);
  if (!locks.checks)
    queue.acquire();
  else if (!acquire_checked(locks, words, queue, lock))
    return false;
  return !words.failed();
}

bool clear_far_lock(JobLocks& locks, CallName call, long* lock) {
  const std::size_t offset = offset_of(locks, lock);
  if (offset == SymmetricRanges::nowhere) return refuse_memory(locks, lock);
  Words words(locks, call, lock, offset);
  QueueLock queue(words, index(locks.me));
  if (!queue.is_mine()) return refuse_to_clear(locks, lock);
  if (!locks.rma.deliver(locks.lane)) return false;
  queue.release();
  if (takes_turns(locks)) pass_turn_on(locks, lock);
  return !words.failed();
}

static_assert(lock_call_done == QueueLock<Words>::nobody);
static_assert(lock_call_not_begun > QueueLock<Words>::max_members);

}  // namespace

bool finish_set_lock(JobLocks& locks, CallName call, long* lock, std::uint32_t before) {
  if (before == lock_call_not_begun) return set_far_lock(locks, call, lock);
  const NearLockWords words(locks, call, lock);
  if (!words) __builtin_unreachable();  // begin_set_lock() or begin_clear_lock() has checked it
  QueueLock(words, index(locks.me)).wait_after(before);
  return true;
}

bool finish_clear_lock(JobLocks& locks, CallName call, long* lock, std::uint32_t last) {
  if (last == lock_call_not_begun) return clear_far_lock(locks, call, lock);
  const NearLockWords words(locks, call, lock);
  if (!words) __builtin_unreachable();  // begin_set_lock() or begin_clear_lock() has checked it
  QueueLock(words, index(locks.me)).leave_late(last);
  return true;
}

std::optional<bool> test_job_lock(JobLocks& locks, CallName call, long* lock) {
  const std::size_t offset = offset_of(locks, lock);
  if (offset == SymmetricRanges::nowhere) {
    refuse_memory(locks, lock);
    return std::nullopt;
  }
  if (takes_turns(locks) && !locks.turns.try_draw(lock)) return false;
  Words words(locks, call, lock, offset);
  QueueLock queue(words, index(locks.me));
  const bool taken = !queue.is_mine() && queue.try_acquire();
  if (!taken && locks.checks && !queue.is_mine() &&
      (words.has_unused_tail() || is_invalid_name(locks, words.tail()))) {
    refuse_first_value(locks, lock);
    return std::nullopt;
  }
  if (!taken && takes_turns(locks)) pass_turn_on(locks, lock);
  if (words.failed()) return std::nullopt;
  return taken;
}

}  // namespace gondwana
