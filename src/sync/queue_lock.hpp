// A lock of the whole job. It is the queue lock of Mellor-Crummey and Scott. Each rank waits at a
// word in its own memory, which its predecessor writes. So waiting disturbs no other rank, and
// ranks get the lock in order of arrival.
//
// A word at the lock's home is the tail: the last rank in the queue. Every rank has a node: its
// successor, and whether it has the lock. Ranks are stored as number + 1; 0 means none. So all zero
// is a free lock, and a lock that all ranks have left is all zero again. Model-checked in
// tests/unit/lock_model_test.cpp.
#pragma once

#include <concepts>
#include <cstdint>

namespace gondwana {

// The words of one lock as one rank accesses them.
// clang-format off
template <typename Q>
concept LockQueue = requires(Q queue, std::uint32_t member, std::uint32_t value, bool (*done)()) {
  // These functions change the tail, at the home. Each is one atomic instruction, acquire and
  // release, and returns the previous value.
  { queue.swap_tail(value) } -> std::same_as<std::uint32_t>;
  { queue.compare_swap_tail(value, value) } -> std::same_as<std::uint32_t>;  // expected, new
  // Changes another member's node in the same way, and wakes that member.
  { queue.add_to_node(member, value) };
  // The caller's own node: an acquire load, without further order.
  { queue.node() } -> std::same_as<std::uint32_t>;
  { queue.set_node(value) };
  // Waits until done(), which `member` makes true.
  { queue.wait_for(member, done) };
};
// clang-format on

template <LockQueue Queue>
class QueueLock {
 public:
  static constexpr std::uint32_t max_members = (1U << 30) - 1;

  QueueLock(Queue& queue, std::uint32_t me) : queue_(queue), me_(me) {}

  // Whether this rank is in the queue: true from before it enters until it has left.
  bool is_mine() const { return queue_.node() != idle; }

  void acquire() {
    if (const std::uint32_t before = enter(); before != nobody) wait_after(before);
  }

  // False if another rank holds it, or waits for it.
  bool try_acquire() {
    queue_.set_node(queued);
    if (queue_.compare_swap_tail(nobody, name_of(me_)) == nobody) return true;
    queue_.set_node(idle);
    return false;
  }

  void release() {
    if (const std::uint32_t last = leave(); last != nobody) leave_late(last);
  }

  // The halves of acquire(), for a caller that must not wait: enter() returns none if this rank has
  // the lock now, or else the rank to wait for.
  static constexpr std::uint32_t nobody = 0;
  // Whether a member with this node has entered and not left: the tail's rank has.
  static constexpr bool is_in_queue(std::uint32_t node) { return (node & queued) != 0; }

  [[gnu::always_inline]] std::uint32_t enter() {
    queue_.set_node(queued);  // visible to a rank that sees this one in the tail
    return queue_.swap_tail(name_of(me_));
  }

  void wait_after(std::uint32_t before) {
    queue_.add_to_node(member_of(before), name_of(me_));  // pairs with node() in leave()
    queue_.wait_for(member_of(before), [this] { return (queue_.node() & my_turn) != 0; });
  }

  // The halves of release(). leave() returns none if the release is complete. Otherwise it returns
  // the last rank in the queue, and another rank is about to name this one's successor.
  [[gnu::always_inline]] std::uint32_t leave() {
    const std::uint32_t next = queue_.node() & name;
    if (next == nobody) {
      const std::uint32_t last = queue_.compare_swap_tail(name_of(me_), nobody);
      if (last != name_of(me_)) return last;
      queue_.set_node(idle);
      return nobody;
    }
    give_to(next);
    return nobody;
  }

  // The wait may name the last one as well as any.
  void leave_late(std::uint32_t last) {
    std::uint32_t next = nobody;
    queue_.wait_for(member_of(last), [&] {
      next = queue_.node() & name;
      return next != nobody;
    });
    give_to(next);
  }

 private:
  // A node: two bits, and the number of the next rank.
  static constexpr std::uint32_t idle = 0;
  static constexpr std::uint32_t queued = 1U << 31;
  static constexpr std::uint32_t my_turn = 1U << 30;
  static constexpr std::uint32_t name = my_turn - 1;

  void give_to(std::uint32_t next) {
    queue_.add_to_node(member_of(next), my_turn);  // pairs with node() in wait_after()
    queue_.set_node(idle);
  }

  static constexpr std::uint32_t name_of(std::uint32_t member) { return member + 1; }
  static constexpr std::uint32_t member_of(std::uint32_t named) { return named - 1; }

  Queue& queue_;
  std::uint32_t me_;
};

}  // namespace gondwana
