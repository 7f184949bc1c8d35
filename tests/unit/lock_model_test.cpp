// The queue of a lock under the model checker: one holder at a time, no member waits forever, each
// holder sees the writes of the last one, members enter in order, and all words end as zero.
#include <fmt/format.h>

#include "support/model/assertions.hpp"
#include "sync/queue_lock.hpp"

namespace gondwana {
namespace {

using model::Atomics;
using model::Data;
using model::fails;
using model::holds;
using model::Limits;
using model::Outcome;
using model::Scenario;
using model::Word;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr std::uint32_t max_members = 3;

struct Words {
  Word tail;
  std::array<Word, max_members> nodes;
};

// The weakest atomics that the engine promises for a wire. Waiting checks again after every change;
// the doorbell has its own test of sleeping.
class Queue {
 public:
  Queue(Words& words, std::uint32_t me) : words_(&words), mine_(&words.nodes[me]) {}

  std::uint32_t swap_tail(std::uint32_t value) { return words_->tail.exchange(value, acq_rel); }
  std::uint32_t compare_swap_tail(std::uint32_t expected, std::uint32_t value) {
    words_->tail.compare_exchange_strong(expected, value, acq_rel, acquire);
    return expected;
  }
  void add_to_node(std::uint32_t member, std::uint32_t value) {
    words_->nodes[member].fetch_add(value, acq_rel);
  }
  std::uint32_t node() const { return mine_->load(acquire); }
  void set_node(std::uint32_t value) { mine_->store(value, relaxed); }
  template <typename Done>
  void wait_for(std::uint32_t /*member*/, const Done& done) {
    while (!done()) model::wait_for_change();
  }

 protected:
  Words* words_;
  Word* mine_;
};

using Lock = QueueLock<Queue>;

// The words with one fault each.
struct RelaxedSwap : Queue {
  using Queue::Queue;
  std::uint32_t swap_tail(std::uint32_t value) { return words_->tail.exchange(value, relaxed); }
};

struct RelaxedCompareSwap : Queue {
  using Queue::Queue;
  std::uint32_t compare_swap_tail(std::uint32_t expected, std::uint32_t value) {
    words_->tail.compare_exchange_strong(expected, value, relaxed, relaxed);
    return expected;
  }
};

struct RelaxedAdd : Queue {
  using Queue::Queue;
  void add_to_node(std::uint32_t member, std::uint32_t value) {
    words_->nodes[member].fetch_add(value, relaxed);
  }
};

struct RelaxedLook : Queue {
  using Queue::Queue;
  std::uint32_t node() const { return mine_->load(relaxed); }
};

struct TornSwap : Queue {
  using Queue::Queue;
  std::uint32_t swap_tail(std::uint32_t value) {
    const std::uint32_t before = words_->tail.load(acquire);
    words_->tail.store(value, acq_rel);
    return before;
  }
};

// The protocol with one fault each, caused by words that do not do what is asked.

// A member that enters clears its node too late: what its successor wrote there is lost.
struct ClearsLate : Queue {
  using Queue::Queue;
  std::uint32_t swap_tail(std::uint32_t value) {
    const std::uint32_t before = Queue::swap_tail(value);
    set_node(1U << 31);
    return before;
  }
};

// A member that leaves assumes that the queue is empty when its node names no successor.
struct ForgetsTheLate : Queue {
  using Queue::Queue;
  std::uint32_t compare_swap_tail(std::uint32_t expected, std::uint32_t value) {
    const std::uint32_t found = Queue::compare_swap_tail(expected, value);
    return value == 0 && found != 0 ? (words_->tail.exchange(0, acq_rel), expected) : found;
  }
};

// A member that enters does not notify its predecessor.
struct TellsNobody : Queue {
  using Queue::Queue;
  void add_to_node(std::uint32_t member, std::uint32_t value) {
    if (value == 1U << 30) Queue::add_to_node(member, value);
  }
};

// A member that is told to wait does not.
struct Impatient : Queue {
  using Queue::Queue;
  template <typename Done>
  void wait_for(std::uint32_t /*member*/, const Done& /*done*/) {}
  void add_to_node(std::uint32_t member, std::uint32_t value) {
    if (member < max_members) Queue::add_to_node(member, value);  // without a known successor
  }
};

// A lock, what it guards, and the threads that use them.
template <typename Q>
struct Job {
  Scenario scenario;
  Words words;
  Data guarded;

  Job() {
    scenario.name(words.tail, "tail");
    for (std::uint32_t i = 0; i < max_members; ++i)
      scenario.name(words.nodes[i], fmt::format("node {}", i));
    scenario.name(guarded, "guarded");
  }

  void acquire(std::uint32_t me) {
    Q queue(words, me);
    QueueLock<Q>(queue, me).acquire();
  }
  void release(std::uint32_t me) {
    Q queue(words, me);
    QueueLock<Q>(queue, me).release();
  }
  void count() { guarded.write(guarded.read() + 1); }

  void add_member(std::uint32_t me, int rounds) {
    std::vector<model::Phase> phases;
    for (int round = 0; round < rounds; ++round) {
      phases.emplace_back([this, me] { acquire(me); });
      phases.emplace_back([this] { count(); });
      phases.emplace_back([this, me] { release(me); });
    }
    scenario.phases(fmt::format("member {}", me), std::move(phases));
  }

  void expect_free(std::uint32_t counted) {
    scenario.finally([this, counted] {
      model::expect(guarded.read() == counted, "every update is there");
      model::expect(words.tail.load(relaxed) == 0, "the lock is free");
      for (const Word& node : words.nodes)
        model::expect(node.load(relaxed) == 0, "every node is as at first");
    });
  }
};

template <typename Q>
Outcome members_take_turns(std::uint32_t members, int rounds, const Limits& limits = {}) {
  Job<Q> job;
  for (std::uint32_t me = 0; me < members; ++me) job.add_member(me, rounds);
  job.expect_free(members * static_cast<std::uint32_t>(rounds));
  return job.scenario.explore(limits);
}

TEST(lock_model, two_members_take_turns) {
  EXPECT_TRUE(holds(members_take_turns<Queue>(2, 1)));
  EXPECT_TRUE(holds(members_take_turns<Queue>(2, 2)));
}

TEST(lock_model, three_members_take_turns) {
  EXPECT_TRUE(holds(members_take_turns<Queue>(3, 1, {.preemptions = 3, .behind = 3})));
}

// One tries, the other waits: a failed try leaves no trace.
TEST(lock_model, trying_disturbs_nobody) {
  Job<Queue> job;
  job.add_member(0, 2);
  job.scenario.thread("tries", [&] {
    Queue queue(job.words, 1);
    Lock lock(queue, 1);
    if (!lock.try_acquire()) return model::expect(!lock.is_mine(), "nothing is left of the try");
    job.guarded.write(job.guarded.read());
    lock.release();
  });
  job.expect_free(2);
  EXPECT_TRUE(holds(job.scenario.explore()));
}

// Member 1 enters the queue before member 2: it is served first.
TEST(lock_model, the_first_to_come_is_the_first_to_be_served) {
  constexpr std::uint32_t second_is_next = 1U << 31 | 2;
  Job<Queue> job;
  Word held;
  Word came;
  const auto wait_for = [](Word& word, std::uint32_t value) {
    while (word.load(acquire) != value) model::wait_for_change();
  };
  job.scenario.name(held, "held");
  job.scenario.name(came, "came");
  job.scenario.phases("holder",
                      {[&] { job.acquire(0); }, [&] { held.store(1, std::memory_order_release); },
                       [&] { wait_for(came, 1); }, [&] { job.release(0); }});
  job.scenario.phases("first", {[&] { wait_for(held, 1); }, [&] { job.acquire(1); },
                                [&] { job.guarded.write(1); }, [&] { job.release(1); }});
  job.scenario.phases(
      "second", {[&] { wait_for(job.words.nodes[0], second_is_next); },
                 [&] { came.store(1, std::memory_order_release); }, [&] { job.acquire(2); },
                 [&] { model::expect(job.guarded.read() == 1, "the first was served before"); },
                 [&] { job.release(2); }});
  EXPECT_TRUE(holds(job.scenario.explore({.preemptions = 3, .behind = 3})));
}

TEST(lock_model, words_that_order_too_little_are_found) {
  EXPECT_TRUE(fails(members_take_turns<RelaxedSwap>(2, 1), "data race"));
  EXPECT_TRUE(fails(members_take_turns<RelaxedCompareSwap>(2, 1), "data race"));
  EXPECT_TRUE(fails(members_take_turns<RelaxedAdd>(2, 1), "data race"));
  EXPECT_TRUE(fails(members_take_turns<RelaxedLook>(2, 1), "data race"));
}

TEST(lock_model, broken_protocols_are_found) {
  EXPECT_TRUE(fails(members_take_turns<TornSwap>(2, 1), "deadlock"));
  EXPECT_TRUE(fails(members_take_turns<ClearsLate>(2, 1), "deadlock"));
  EXPECT_TRUE(fails(members_take_turns<ForgetsTheLate>(2, 1), "every node is as at first"));
  EXPECT_TRUE(fails(members_take_turns<TellsNobody>(2, 1), "deadlock"));
  EXPECT_TRUE(fails(members_take_turns<Impatient>(2, 1), "data race"));
}

}  // namespace
}  // namespace gondwana
