#include "engine/locks/job_lock.hpp"

#include <fmt/format.h>

namespace gondwana {
namespace {

// The words of a lock anywhere, by the engine's atomics. One that fails, over a wire, ends the
// waiting.
class Words {
 public:
  Words(Engine& engine, CallName call, long* lock, std::size_t offset)
      : engine_(engine),
        call_(call),
        home_(home_of_lock(offset, engine.ranks())),
        tail_(reinterpret_cast<std::uint32_t*>(lock)),
        node_(tail_ + 1) {}

  std::uint32_t swap_tail(std::uint32_t value) {
    return apply<AtomicOp::swap>(home_, tail_, value, 0);
  }
  std::uint32_t compare_swap_tail(std::uint32_t expected, std::uint32_t value) {
    return apply<AtomicOp::compare_swap>(home_, tail_, value, expected);
  }
  // For checks.
  std::uint32_t tail() { return apply<AtomicOp::fetch>(home_, tail_, 0, 0); }
  std::uint32_t node_of(std::uint32_t member) {
    return apply<AtomicOp::fetch>(Rank(member), node_, 0, 0);
  }
  // Only the home uses its tail.
  bool has_unused_tail() const {
    return home_ != engine_.rank() && std::atomic_ref(*tail_).load(std::memory_order_relaxed) != 0;
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
    if (!failed_) engine_.wait_on_memory(call_, done, member);
  }

  bool failed() const { return failed_; }

 private:
  template <AtomicOp Op>
  [[gnu::always_inline]] std::uint32_t apply(Rank at, std::uint32_t* word, std::uint32_t operand,
                                             std::uint32_t compare) {
    std::uint32_t old = 0;
    const Shortcut& shortcut = engine_.default_lane().shortcut();
    if (shortcut.try_atomic<Op>(at, word, operand, compare, old)) [[likely]]
      return old;
    return apply_elsewhere<Op>(at, word, operand, compare);
  }

  template <AtomicOp Op>
  [[gnu::noinline]] std::uint32_t apply_elsewhere(Rank at, std::uint32_t* word,
                                                  std::uint32_t operand, std::uint32_t compare) {
    const std::optional<std::uint32_t> old =
        engine_.atomic<Op>(engine_.default_lane(), at, word, operand, compare);
    if (!old) failed_ = true;
    return old.value_or(0);
  }

  Engine& engine_;
  CallName call_;
  Rank home_;
  std::uint32_t* tail_;
  std::uint32_t* node_;
  bool failed_ = false;
};

bool takes_turns(const Engine& engine) {
  return engine.threads() == Threads::many;
}

[[gnu::noinline]] void wait_for_turn(Engine& engine, CallName call, const long* lock) {
  const LockTurns::Ticket ticket = engine.lock_turns().draw(lock);
  engine.wait_on_memory(call, [&] { return ticket.has_come(); }, index(engine.rank()));
}

[[gnu::noinline]] void pass_turn_on(Engine& engine, const long* lock) {
  engine.lock_turns().pass_on(lock);
  engine.wake_own_threads();
}

// Each refusal is false, to be returned.

[[gnu::cold, gnu::noinline]] bool refuse_memory(Engine& engine, const long* lock) {
  return engine.check_symmetric(engine.default_lane(), "a lock", lock, sizeof(long));
}

[[gnu::cold, gnu::noinline]] bool refuse_to_set(Engine& engine, const long* lock) {
  return engine.default_lane().fail(
      {Errc::invalid_argument,
       fmt::format("the lock at {} is already held by rank {}, which would wait for itself for "
                   "ever; clear it first, and see that it was 0 on every rank at first",
                   fmt::ptr(lock), index(engine.rank()))});
}

[[gnu::cold, gnu::noinline]] bool refuse_to_clear(Engine& engine, const long* lock) {
  return engine.default_lane().fail(
      {Errc::invalid_argument,
       fmt::format("the lock at {} is not held by rank {}: only the rank that has set a lock may "
                   "clear it",
                   fmt::ptr(lock), index(engine.rank()))});
}

[[gnu::cold, gnu::noinline]] bool refuse_first_value(Engine& engine, const long* lock) {
  if (takes_turns(engine)) pass_turn_on(engine, lock);
  return engine.default_lane().fail(
      {Errc::invalid_argument,
       fmt::format("the lock at {} was not 0 on every rank before its first use; set it to 0, and "
                   "let all ranks meet in a barrier before one uses it",
                   fmt::ptr(lock))});
}

// A tail that names nobody who may be in the queue.
bool is_no_name(const Engine& engine, std::uint32_t tail) {
  return tail > engine.ranks() || tail == index(engine.rank()) + 1;
}

// Whoever was the last to come is in the queue until the caller waits behind it.
bool acquire_checked(Engine& engine, Words& words, QueueLock<Words>& queue, const long* lock) {
  if (words.has_unused_tail()) return refuse_first_value(engine, lock);
  const std::uint32_t before = queue.enter();
  if (before == QueueLock<Words>::nobody) return true;
  if (is_no_name(engine, before)) return refuse_first_value(engine, lock);
  const std::uint32_t node = words.node_of(before - 1);
  if (!words.failed() && !QueueLock<Words>::is_in_queue(node))
    return refuse_first_value(engine, lock);
  queue.wait_behind(before);
  return true;
}

std::size_t offset_of(Engine& engine, const long* lock) {
  return engine.symmetric().ranges().offset_of(lock, sizeof(long));
}

// Anywhere, and with all that can be wrong.

bool set_far_lock(Engine& engine, CallName call, long* lock) {
  const std::size_t offset = offset_of(engine, lock);
  if (offset == SymmetricRanges::nowhere) return refuse_memory(engine, lock);
  if (takes_turns(engine)) wait_for_turn(engine, call, lock);
  Words words(engine, call, lock, offset);
  QueueLock queue(words, index(engine.rank()));
  if (queue.is_mine()) return refuse_to_set(engine, lock);
  if (!engine.options().checks)
    queue.acquire();
  else if (!acquire_checked(engine, words, queue, lock))
    return false;
  return !words.failed();
}

bool clear_far_lock(Engine& engine, CallName call, long* lock) {
  const std::size_t offset = offset_of(engine, lock);
  if (offset == SymmetricRanges::nowhere) return refuse_memory(engine, lock);
  Words words(engine, call, lock, offset);
  QueueLock queue(words, index(engine.rank()));
  if (!queue.is_mine()) return refuse_to_clear(engine, lock);
  if (!engine.deliver(engine.default_lane())) return false;
  queue.release();
  if (takes_turns(engine)) pass_turn_on(engine, lock);
  return !words.failed();
}

static_assert(lock_call_done == QueueLock<Words>::nobody);
static_assert(lock_call_not_begun > QueueLock<Words>::most_members);

}  // namespace

bool finish_set_lock(Engine& engine, CallName call, long* lock, std::uint32_t before) {
  if (before == lock_call_not_begun) return set_far_lock(engine, call, lock);
  const NearLockWords words(engine, call, lock);
  if (!words) __builtin_unreachable();  // begun by begin_set_lock() or begin_clear_lock()
  QueueLock(words, index(engine.rank())).wait_behind(before);
  return true;
}

bool finish_clear_lock(Engine& engine, CallName call, long* lock, std::uint32_t last) {
  if (last == lock_call_not_begun) return clear_far_lock(engine, call, lock);
  const NearLockWords words(engine, call, lock);
  if (!words) __builtin_unreachable();  // begun by begin_set_lock() or begin_clear_lock()
  QueueLock(words, index(engine.rank())).leave_late(last);
  return true;
}

std::optional<bool> test_job_lock(Engine& engine, CallName call, long* lock) {
  const std::size_t offset = offset_of(engine, lock);
  if (offset == SymmetricRanges::nowhere) {
    refuse_memory(engine, lock);
    return std::nullopt;
  }
  if (takes_turns(engine) && !engine.lock_turns().try_draw(lock)) return false;
  Words words(engine, call, lock, offset);
  QueueLock queue(words, index(engine.rank()));
  const bool taken = !queue.is_mine() && queue.try_acquire();
  if (!taken && engine.options().checks && !queue.is_mine() &&
      (words.has_unused_tail() || is_no_name(engine, words.tail()))) {
    refuse_first_value(engine, lock);
    return std::nullopt;
  }
  if (!taken && takes_turns(engine)) pass_turn_on(engine, lock);
  if (words.failed()) return std::nullopt;
  return taken;
}

}  // namespace gondwana
