// The Doorbell under the model checker, and faulty variants that the checker must reject.
#include "support/model/assertions.hpp"

namespace gondwana {
namespace {

using model::Atomics;
using model::fails;
using model::holds;
using model::Limits;
using model::Outcome;
using model::Scenario;
using model::Word;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr Timeout for_ever = std::nullopt;

using Bell = Doorbell<Atomics>;

// The sleeper checks before it raises the flag, not after.
struct RaisesTooLate : Bell {
  template <typename Done>
  bool sleep_until(Done done, Timeout timeout) {
    for (;;) {
      const std::uint32_t seen = rings.load(std::memory_order_acquire);
      if (done()) return true;
      asleep.store(1, relaxed);
      Atomics::heavy_fence();
      Atomics::futex_wait(rings, seen, timeout);
    }
  }
};

// The sleeper assumes, without a fence, that its store is visible before its load.
struct Unfenced : Bell {
  template <typename Done>
  bool sleep_until(Done done, Timeout timeout) {
    for (;;) {
      const std::uint32_t seen = rings.load(std::memory_order_acquire);
      asleep.store(1, relaxed);
      if (done()) return true;
      Atomics::futex_wait(rings, seen, timeout);
    }
  }
};

// The writer allows the compiler to move the load of the flag before the store.
struct LooksEarly : Bell {
  void ring_if_asleep() {
    if (asleep.load(relaxed) != 0) ring();
  }
};

// The writer wakes without changing the value that the sleeper compares.
struct RingsWithoutCount : Bell {
  void ring_if_asleep() {
    Atomics::light_fence();
    if (asleep.load(relaxed) == 0) return;
    asleep.store(0, relaxed);
    Atomics::futex_wake_all(rings);
  }
};

// The writer lowers the flag after it raised the count, and may cancel the next raise.
struct LowersTooLate : Bell {
  void ring_if_asleep() {
    Atomics::light_fence();
    if (asleep.load(relaxed) == 0) return;
    rings.fetch_add(1, std::memory_order_seq_cst);
    asleep.store(0, relaxed);
    Atomics::futex_wake_all(rings);
  }
};

// The flag holds what the last sleeper waits for, and drops what earlier sleepers wait for.
struct ForgetsOthers : Bell {
  template <typename Done>
  bool sleep_until(Done done, Timeout timeout, Watch watch) {
    for (;;) {
      const std::uint32_t seen = rings.load(std::memory_order_acquire);
      asleep.store(watch.flag(), relaxed);
      Atomics::heavy_fence();
      if (done()) return true;
      Atomics::futex_wait(rings, seen, timeout);
    }
  }
};

// A bell, and the cells that its writers store to and its sleepers wait for.
template <typename Sort>
struct Post {
  Scenario scenario;
  Sort bell;
  Word first;
  Word second;

  Post() {
    scenario.name(bell, "bell");
    scenario.name(first, "first");
    scenario.name(second, "second");
  }

  void writer(const char* name, Word& cell, std::uint32_t value = 1) {
    scenario.thread(name, [this, &cell, value] {
      cell.store(value, relaxed);
      bell.ring_if_asleep();
    });
  }

  void sleep_until(Word& cell, std::uint32_t value = 1) {
    const bool done = bell.sleep_until([&] { return cell.load(relaxed) == value; }, for_ever);
    model::expect(done && cell.load(relaxed) == value, "done when it returns");
  }

  void sleeper(const char* name, Word& cell) {
    scenario.thread(name, [this, &cell] { sleep_until(cell); });
  }
};

template <typename Sort>
Outcome one_writer(const Limits& limits = {}) {
  Post<Sort> post;
  post.sleeper("sleeper", post.first);
  post.writer("writer", post.first);
  return post.scenario.explore(limits);
}

// The sleeper waits for both in turn: the second raise follows the first ring.
template <typename Sort>
Outcome two_writers(const Limits& limits = {}) {
  Post<Sort> post;
  post.scenario.phases(
      "sleeper", {[&] { post.sleep_until(post.first); }, [&] { post.sleep_until(post.second); }});
  post.writer("one", post.first);
  post.writer("two", post.second);
  return post.scenario.explore(limits);
}

template <typename Sort>
Outcome two_sleepers(const Limits& limits = {}) {
  Post<Sort> post;
  post.sleeper("one", post.first);
  post.sleeper("two", post.second);
  post.scenario.thread("writer", [&] {
    post.first.store(1, relaxed);
    post.bell.ring_if_asleep();
    post.second.store(1, relaxed);
    post.bell.ring_if_asleep();
  });
  return post.scenario.explore(limits);
}

// Like places in an arena, the cells are on different lines, and each ring names its cell.
constexpr std::size_t first_at = 0;
constexpr std::size_t second_at = cache_line;
constexpr std::size_t size = sizeof(std::uint32_t);

template <typename Sort>
Outcome two_watchers(const Limits& limits = {}) {
  Post<Sort> post;
  const auto sleeper = [&](const char* name, Word& cell, std::size_t offset) {
    post.scenario.thread(name, [&post, &cell, offset] {
      post.bell.sleep_until([&] { return cell.load(relaxed) == 1; }, for_ever, Watch::at(offset));
    });
  };
  sleeper("one", post.first, first_at);
  sleeper("two", post.second, second_at);
  post.scenario.thread("writer", [&] {
    post.first.store(1, relaxed);
    post.bell.ring_if_watched(first_at, size);
    post.second.store(1, relaxed);
    post.bell.ring_if_watched(second_at, size);
  });
  return post.scenario.explore(limits);
}

TEST(doorbell_model, watch_covers_its_line_or_anything) {
  const std::uint32_t line = Watch::at(2 * cache_line + 8).flag();
  EXPECT_TRUE(Watch::covers(line, 2 * cache_line, 1));
  EXPECT_TRUE(Watch::covers(line, 3 * cache_line - 1, 1));
  EXPECT_TRUE(Watch::covers(line, 0, 10 * cache_line));
  EXPECT_FALSE(Watch::covers(line, 2 * cache_line - 8, 8));
  EXPECT_FALSE(Watch::covers(line, 3 * cache_line, 8));
  EXPECT_TRUE(Watch::covers(Watch().flag(), 7, 1));
  EXPECT_FALSE(Watch::covers(0, 7, 1));
  EXPECT_EQ(Watch::at(std::size_t{1} << 40).flag(), Watch().flag());
}

TEST(doorbell_model, sleepers_on_two_words_are_woken_by_who_says_where) {
  EXPECT_TRUE(holds(two_watchers<Bell>()));
}

// The flag of the first sleep is still raised when the second sleep begins.
TEST(doorbell_model, sleeper_on_one_word_after_the_other_is_woken_by_who_says_where) {
  Post<Bell> post;
  const auto sleep_on = [&](Word& cell, std::size_t offset) {
    post.bell.sleep_until([&] { return cell.load(relaxed) == 1; }, for_ever, Watch::at(offset));
  };
  post.scenario.phases("sleeper", {[&] { sleep_on(post.first, first_at); },
                                   [&] { sleep_on(post.second, second_at); }});
  const auto writer = [&](const char* name, Word& cell, std::size_t offset) {
    post.scenario.thread(name, [&post, &cell, offset] {
      cell.store(1, relaxed);
      post.bell.ring_if_watched(offset, size);
    });
  };
  writer("one", post.first, first_at);
  writer("two", post.second, second_at);
  EXPECT_TRUE(holds(post.scenario.explore()));
}

TEST(doorbell_model, one_writer_wakes_the_sleeper) {
  EXPECT_TRUE(holds(one_writer<Bell>({.early_wakes = 2})));
}

TEST(doorbell_model, two_writers_wake_the_sleeper_in_turn) {
  EXPECT_TRUE(holds(two_writers<Bell>({.early_wakes = 1})));
}

TEST(doorbell_model, two_sleepers_share_a_doorbell) {
  EXPECT_TRUE(holds(two_sleepers<Bell>()));
}

TEST(doorbell_model, sleeper_on_the_sum_of_two_writers_is_woken) {
  Post<Bell> post;
  post.scenario.thread("sleeper", [&] {
    post.bell.sleep_until([&] { return post.first.load(relaxed) + post.second.load(relaxed) == 2; },
                          for_ever);
  });
  post.writer("one", post.first);
  post.writer("two", post.second);
  EXPECT_TRUE(holds(post.scenario.explore()));
}

TEST(doorbell_model, refused_heavy_fence_costs_time_but_no_wake) {
  EXPECT_TRUE(holds(one_writer<Bell>({.heavy_fence_refused = true, .early_wakes = 2})));
  EXPECT_TRUE(holds(two_writers<Bell>({.heavy_fence_refused = true})));
  EXPECT_TRUE(
      holds(two_sleepers<Bell>({.heavy_fence_refused = true, .preemptions = 2, .behind = 2})));
}

// A sleep on user memory, which NICs and plain stores change without ringing.
TEST(doorbell_model, timed_sleep_sees_a_store_that_does_not_ring) {
  Post<Bell> post;
  post.scenario.thread("sleeper", [&] {
    const auto done = [&] { return post.first.load(relaxed) == 1; };
    while (!post.bell.sleep_until(done, std::chrono::milliseconds(1))) continue;
  });
  post.scenario.thread("writer", [&] { post.first.store(1, relaxed); });
  EXPECT_TRUE(holds(post.scenario.explore({.early_wakes = 2})));
}

TEST(doorbell_model, store_that_does_not_ring_leaves_an_untimed_sleeper_asleep) {
  Post<Bell> post;
  post.sleeper("sleeper", post.first);
  post.scenario.thread("writer", [&] { post.first.store(1, relaxed); });
  EXPECT_TRUE(fails(post.scenario.explore(), "deadlock: sleeper is in futex_wait(bell.rings"));
}

TEST(doorbell_model, broken_doorbells_are_found) {
  EXPECT_TRUE(fails(one_writer<RaisesTooLate>(), "deadlock"));
  EXPECT_TRUE(fails(one_writer<Unfenced>(), "deadlock"));
  EXPECT_TRUE(fails(one_writer<LooksEarly>(), "deadlock"));
  EXPECT_TRUE(fails(one_writer<RingsWithoutCount>(), "deadlock"));
  EXPECT_TRUE(fails(two_writers<LowersTooLate>(), "deadlock"));
  EXPECT_TRUE(fails(two_watchers<ForgetsOthers>(), "deadlock"));
}

TEST(doorbell_model, ring_that_is_missed_without_the_fence_is_told_step_by_step) {
  EXPECT_EQ(one_writer<Unfenced>().story,
            "     sleeper  bell.rings.load(acquire) = 0\n"
            "     sleeper  bell.asleep.store(1, relaxed)\n"
            "     sleeper  first.load(relaxed) = 0\n"
            "     sleeper  futex_wait(bell.rings, 0, untimed): sleeps\n"
            "      writer  first.store(1, relaxed)\n"
            "      writer  light_fence()\n"
            "      writer  bell.asleep.load(relaxed) = 0, not the newest\n");
}

}  // namespace
}  // namespace gondwana
