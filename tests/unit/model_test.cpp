// The checker itself: litmus tests with known answers.
#include "support/model/assertions.hpp"

namespace gondwana::model {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto seq_cst = std::memory_order_seq_cst;

using Fence = void (*)();

void no_fence() {}
void light_fence() {
  Atomics::light_fence();
}
void heavy_fence() {
  Atomics::heavy_fence();
}

struct Side {
  std::memory_order store;
  Fence fence;
  std::memory_order load;
};

// Two threads each store one word, then load the other's: may both miss the other's store?
Outcome store_buffering(const Side& left, const Side& right, const Limits& limits = {}) {
  Scenario scenario;
  Word x;
  Word y;
  Data left_saw;
  Data right_saw;
  const auto run = [](const Side& side, Word& own, Word& other, Data& saw) {
    own.store(1, side.store);
    side.fence();
    saw.write(other.load(side.load));
  };
  scenario.thread("left", [&] { run(left, x, y, left_saw); });
  scenario.thread("right", [&] { run(right, y, x, right_saw); });
  scenario.finally([&] { expect(left_saw.read() + right_saw.read() > 0, "one sees the other"); });
  return scenario.explore(limits);
}

TEST(model, relaxed_stores_may_be_buffered) {
  const Side plain{relaxed, no_fence, relaxed};
  EXPECT_TRUE(fails(store_buffering(plain, plain), "one sees the other"));
  const Side ordered{release, no_fence, acquire};
  EXPECT_TRUE(fails(store_buffering(ordered, ordered), "one sees the other"));
}

TEST(model, seq_cst_store_and_load_are_not_buffered) {
  const Side strong{seq_cst, no_fence, seq_cst};
  EXPECT_TRUE(holds(store_buffering(strong, strong)));
}

TEST(model, seq_cst_store_may_pass_an_acquire_load) {
  const Side half{seq_cst, no_fence, acquire};
  EXPECT_TRUE(fails(store_buffering(half, half), "one sees the other"));
}

TEST(model, heavy_fence_on_one_side_is_enough_with_a_light_one_on_the_other) {
  const Side light{relaxed, light_fence, relaxed};
  const Side heavy{relaxed, heavy_fence, relaxed};
  EXPECT_TRUE(holds(store_buffering(heavy, light)));
  EXPECT_TRUE(holds(store_buffering(heavy, heavy)));
  EXPECT_TRUE(fails(store_buffering(light, light), "one sees the other"));
}

TEST(model, heavy_fence_needs_the_light_one) {
  const Side plain{relaxed, no_fence, relaxed};
  const Side heavy{relaxed, heavy_fence, relaxed};
  EXPECT_TRUE(fails(store_buffering(heavy, plain), "one sees the other"));
}

TEST(model, refused_heavy_fence_does_nothing) {
  const Side light{relaxed, light_fence, relaxed};
  const Side heavy{relaxed, heavy_fence, relaxed};
  EXPECT_TRUE(
      fails(store_buffering(heavy, light, {.heavy_fence_refused = true}), "one sees the other"));
}

// One thread writes data, then a flag; the other polls the flag, then reads the data.
Outcome message_passing(std::memory_order store, std::memory_order load) {
  Scenario scenario;
  Data data;
  Word flag;
  scenario.name(data, "data");
  scenario.name(flag, "flag");
  scenario.thread("writer", [&, store] {
    data.write(42);
    flag.store(1, store);
  });
  scenario.thread("reader", [&, load] {
    while (flag.load(load) == 0) wait_for_change();
    expect(data.read() == 42, "the flag comes after the data");
  });
  return scenario.explore();
}

TEST(model, message_passing_needs_release_and_acquire) {
  EXPECT_TRUE(fails(message_passing(relaxed, relaxed), "data race"));
  EXPECT_TRUE(fails(message_passing(release, relaxed), "data race"));
  EXPECT_TRUE(fails(message_passing(relaxed, acquire), "data race"));
  EXPECT_TRUE(holds(message_passing(release, acquire)));
  EXPECT_TRUE(holds(message_passing(seq_cst, seq_cst)));
}

// The same with relaxed accesses and fences, one before the store of the writer and one after the
// load of the reader.
Outcome fenced_message_passing(Fence before_store, Fence after_load) {
  Scenario scenario;
  Data data;
  Word flag;
  scenario.thread("writer", [&, before_store] {
    data.write(42);
    before_store();
    flag.store(1, relaxed);
  });
  scenario.thread("reader", [&, after_load] {
    while (flag.load(relaxed) == 0) wait_for_change();
    after_load();
    expect(data.read() == 42, "the flag comes after the data");
  });
  return scenario.explore({.thread_fences = true});
}

TEST(model, fences_order_relaxed_accesses_around_them) {
  const Fence released = [] { Atomics::release_fence(); };
  const Fence acquired = [] { Atomics::acquire_fence(); };
  EXPECT_TRUE(holds(fenced_message_passing(released, acquired)));
  EXPECT_TRUE(fails(fenced_message_passing(released, no_fence), "data race"));
  EXPECT_TRUE(fails(fenced_message_passing(no_fence, acquired), "data race"));
  EXPECT_TRUE(fails(fenced_message_passing(acquired, released), "data race"));
}

// A fence does not order what comes after it.
TEST(model, release_fence_too_early_is_none) {
  Scenario scenario;
  Data data;
  Word flag;
  scenario.thread("writer", [&] {
    Atomics::release_fence();
    data.write(42);
    flag.store(1, relaxed);
  });
  scenario.thread("reader", [&] {
    while (flag.load(acquire) == 0) wait_for_change();
    data.read();
  });
  EXPECT_TRUE(fails(scenario.explore({.thread_fences = true}), "data race"));
}

TEST(model, relaxed_words_may_be_seen_in_another_order) {
  Scenario scenario;
  Word first;
  Word second;
  scenario.thread("writer", [&] {
    first.store(1, relaxed);
    second.store(1, relaxed);
  });
  scenario.thread("reader", [&] {
    while (second.load(acquire) == 0) wait_for_change();
    expect(first.load(relaxed) == 1, "in order");
  });
  EXPECT_TRUE(fails(scenario.explore(), "in order"));
}

TEST(model, reading_twice_never_goes_back) {
  Scenario scenario;
  Word word;
  scenario.thread("writer", [&] {
    word.store(1, relaxed);
    word.store(2, relaxed);
  });
  scenario.thread("reader", [&] {
    const std::uint32_t once = word.load(relaxed);
    expect(word.load(relaxed) >= once, "coherence");
  });
  EXPECT_TRUE(holds(scenario.explore()));
}

// 2+2W: each of two words ends with the value of the other's first store.
Outcome crossed_stores(std::memory_order order) {
  Scenario scenario;
  Word x;
  Word y;
  const auto run = [order](Word& one, Word& two) {
    one.store(1, order);
    two.store(2, order);
  };
  scenario.thread("left", [&] { run(x, y); });
  scenario.thread("right", [&] { run(y, x); });
  scenario.finally([&] { expect(x.load(relaxed) + y.load(relaxed) > 2, "one order"); });
  return scenario.explore();
}

TEST(model, relaxed_stores_may_take_effect_in_another_order) {
  EXPECT_TRUE(fails(crossed_stores(relaxed), "one order"));
  EXPECT_TRUE(holds(crossed_stores(seq_cst)));
}

// IRIW: do two readers agree on the order of two independent stores?
Outcome independent_readers(std::memory_order store, std::memory_order load) {
  Scenario scenario;
  Word x;
  Word y;
  Data left;
  Data right;
  const auto read = [load](Word& first, Word& second, Data& into) {
    const std::uint32_t one = first.load(load);
    into.write(one == 1 && second.load(load) == 0 ? 1 : 0);
  };
  scenario.thread("writer of x", [&, store] { x.store(1, store); });
  scenario.thread("writer of y", [&, store] { y.store(1, store); });
  scenario.thread("left", [&] { read(x, y, left); });
  scenario.thread("right", [&] { read(y, x, right); });
  scenario.finally([&] { expect(left.read() + right.read() < 2, "one order"); });
  return scenario.explore();
}

TEST(model, readers_agree_on_an_order_only_with_seq_cst) {
  EXPECT_TRUE(fails(independent_readers(relaxed, relaxed), "one order"));
  EXPECT_TRUE(holds(independent_readers(relaxed, seq_cst)));
  EXPECT_TRUE(fails(independent_readers(release, acquire), "one order"));
}

TEST(model, release_sequence_goes_on_through_read_modify_writes) {
  Scenario scenario;
  Data data;
  Word word;
  scenario.thread("writer", [&] {
    data.write(1);
    word.fetch_add(1, release);
  });
  scenario.thread("between", [&] { word.fetch_add(1, relaxed); });
  scenario.thread("reader", [&] {
    while (word.load(acquire) < 2) wait_for_change();
    expect(data.read() == 1, "through the sequence");
  });
  EXPECT_TRUE(holds(scenario.explore()));
}

TEST(model, no_increment_is_lost) {
  Scenario scenario;
  Word word;
  for (const char* name : {"one", "two", "three"})
    scenario.thread(name, [&] { word.fetch_add(1, relaxed); });
  scenario.finally([&] { expect(word.load(relaxed) == 3, "three"); });
  EXPECT_TRUE(holds(scenario.explore()));
}

TEST(model, reader_racing_a_writer_is_found_whichever_runs_first) {
  for (const bool writer_first : {true, false}) {
    Scenario scenario;
    Data data;
    const auto write = [&] { data.write(1); };
    const auto read = [&] { data.read(); };
    scenario.thread("one", writer_first ? Phase(write) : Phase(read));
    scenario.thread("two", writer_first ? Phase(read) : Phase(write));
    EXPECT_TRUE(fails(scenario.explore(), "data race"));
  }
}

// Checks a flag, then sleeps on a word: the wake may come in between.
Outcome sleep_on(bool check_by_value) {
  Scenario scenario;
  Word flag;
  Word turn;
  scenario.thread("sleeper", [&, check_by_value] {
    const std::uint32_t seen = check_by_value ? turn.load(acquire) : 0;
    if (flag.load(seq_cst) == 0) Atomics::futex_wait(turn, seen, std::nullopt);
  });
  scenario.thread("waker", [&, check_by_value] {
    flag.store(1, seq_cst);
    if (check_by_value) turn.fetch_add(1, seq_cst);
    Atomics::futex_wake_all(turn);
  });
  return scenario.explore();
}

TEST(model, wake_between_check_and_sleep_is_lost_without_a_count) {
  EXPECT_TRUE(fails(sleep_on(false), "deadlock"));
  EXPECT_TRUE(holds(sleep_on(true)));
}

TEST(model, two_threads_that_wait_for_each_other_are_a_deadlock) {
  Scenario scenario;
  Word x;
  Word y;
  const auto run = [](Word& theirs, Word& mine) {
    while (theirs.load(acquire) == 0) wait_for_change();
    mine.store(1, release);
  };
  scenario.thread("left", [&] { run(x, y); });
  scenario.thread("right", [&] { run(y, x); });
  EXPECT_TRUE(fails(scenario.explore(), "deadlock: left is in wait_for_change()"));
}

TEST(model, timed_sleep_ends_when_there_is_something_to_see) {
  Scenario scenario;
  Word flag;
  Word never_rung;
  scenario.thread("sleeper", [&] {
    while (flag.load(relaxed) == 0)
      Atomics::futex_wait(never_rung, 0, std::chrono::milliseconds(1));
  });
  scenario.thread("writer", [&] { flag.store(1, relaxed); });
  EXPECT_TRUE(holds(scenario.explore()));
}

TEST(model, early_wake_is_explored_but_nobody_may_count_on_it) {
  Scenario scenario;
  Word word;
  scenario.thread("sleeper", [&] {
    Atomics::futex_wait(word, 0, std::nullopt);
    expect(false, "awake");
  });
  EXPECT_TRUE(fails(scenario.explore({.early_wakes = 1}), "deadlock"));

  Scenario with_looks;
  with_looks.thread("sleeper", [&] {
    Atomics::futex_wait(word, 0, std::nullopt);
    expect(word.load(relaxed) == 1, "rung");
  });
  with_looks.thread("waker", [&] {
    word.store(1, relaxed);
    Atomics::futex_wake_all(word);
  });
  EXPECT_TRUE(fails(with_looks.explore({.early_wakes = 1}), "rung"));
}

TEST(model, phases_forget_but_memory_does_not) {
  Scenario scenario;
  Word word;
  const auto add = [&] { word.fetch_add(1, relaxed); };
  scenario.phases("one", {add, add});
  scenario.phases("two", {add, [] {}, add});
  scenario.finally([&] { expect(word.load(relaxed) == 4, "four"); });
  EXPECT_TRUE(holds(scenario.explore()));
}

TEST(model, limits_fail_instead_of_passing) {
  Scenario endless;
  Word word;
  endless.thread("spinner", [&] {
    while (word.load(relaxed) == 0) continue;
  });
  EXPECT_TRUE(fails(endless.explore(), "does not end"));

  const Side plain{seq_cst, no_fence, seq_cst};
  EXPECT_TRUE(fails(store_buffering(plain, plain, {.states = 3}), "gave up after"));
}

TEST(model, story_tells_who_did_what) {
  const Outcome outcome = message_passing(relaxed, acquire);
  EXPECT_EQ(outcome.story,
            "      writer  data.write(42)\n"
            "      writer  flag.store(1, relaxed)\n"
            "      reader  flag.load(acquire) = 1\n"
            "      reader  data.read() = 42\n");
}

}  // namespace
}  // namespace gondwana::model
