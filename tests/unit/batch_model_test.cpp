// The state of a batch under the model checker: each request leaves exactly once, the bytes are
// complete when they leave, and a rank that stops in the middle of an append blocks nothing.
#include <fmt/format.h>

#include "support/model/assertions.hpp"
#include "support/model/unordered_swap.hpp"
#include "sync/batch_state.hpp"

namespace gondwana {
namespace {

using model::Atomics;
using model::Data;
using model::fails;
using model::holds;
using model::Outcome;
using model::Scenario;
using model::UnorderedSwap;
using model::Word;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr std::uint32_t most_requests = 2;  // in a batch

// Atomics with one fault each.
struct Unordered : Atomics {
  struct Counter : model::Counter {
    void store(std::uint64_t value, std::memory_order /*order*/) {
      model::Counter::store(value, relaxed);
    }
  };
};
struct TornSwap : Atomics {
  struct Counter : model::Counter {
    bool compare_exchange_strong(std::uint64_t& expected, std::uint64_t value,
                                 std::memory_order success, std::memory_order failure) {
      if (model::Counter::load(failure) != expected) return false;
      model::Counter::store(value, success);
      return true;
    }
  };
};

// A rank that fills a slot, and the agent of its node.
template <typename A>
struct Job {
  Scenario scenario;
  BatchState<A> state;
  std::array<Data, most_requests> bytes;
  std::array<Word, 2 * most_requests> left;  // for each request, how often it was sent

  Job() {
    for (std::uint32_t i = 0; i < most_requests; ++i)
      scenario.name(bytes[i], fmt::format("bytes {}", i));
    for (std::uint32_t i = 0; i < left.size(); ++i)
      scenario.name(left[i], fmt::format("left {}", i));
  }

  // Sends what it has taken.
  void send(std::uint32_t size) {
    for (std::uint32_t i = 0; i < size; ++i) left[bytes[i].read()].fetch_add(1, relaxed);
    state.clear();
  }
  void check() {
    const auto seen = state.value();
    if (seen.is_open() && state.take(seen)) send(seen.size());
  }
  // Appends two requests and sends the batch. Returns false if the agent has taken the batch before
  // the second request.
  bool fill(std::uint32_t first) {
    bytes[0].write(first);
    state.open(1);
    bytes[1].write(first + 1);
    return state.extend(2);
  }
  void wait_until_empty() {
    while (!state.value().is_empty()) model::wait_for_change();
  }
  void expect_sent(std::uint32_t requests) {
    scenario.finally([this, requests] {
      for (std::uint32_t i = 0; i < left.size(); ++i)
        model::expect(left[i].load(relaxed) == (i < requests ? 1 : 0), "each leaves once");
    });
  }
};

// The rank sends two batches of two requests; the agent checks twice meanwhile.
template <typename A>
Outcome each_request_leaves_once() {
  Job<A> job;
  const auto send_two = [&](std::uint32_t first) {
    if (!job.fill(first)) {
      job.wait_until_empty();
      job.bytes[0].write(first + 1);
      job.state.open(1);
    }
    job.check();
    job.wait_until_empty();
  };
  job.scenario.phases("rank", {[&] { send_two(0); }, [&] { send_two(2); }});
  job.scenario.phases("agent", {[&] { job.check(); }, [&] { job.check(); }});
  job.expect_sent(4);
  return job.scenario.explore();
}

TEST(batch_model, each_request_leaves_once) {
  EXPECT_TRUE(holds(each_request_leaves_once<Atomics>()));
}

TEST(batch_model, atomics_that_order_too_little_are_found) {
  EXPECT_TRUE(fails(each_request_leaves_once<Unordered>(), "data race"));
  EXPECT_TRUE(fails(each_request_leaves_once<UnorderedSwap>(), "data race"));
  EXPECT_TRUE(fails(each_request_leaves_once<TornSwap>(), ""));
}

// A rank that is killed or stopped after writing bytes that it has not published.
TEST(batch_model, what_is_published_leaves_without_the_rank) {
  Job<Atomics> job;
  job.scenario.thread("rank", [&] {
    job.bytes[0].write(0);
    job.state.open(1);
    job.bytes[1].write(1);
  });
  job.scenario.thread("agent", [&] {
    while (!job.state.value().is_open()) model::wait_for_change();
    job.check();
  });
  job.expect_sent(1);
  EXPECT_TRUE(holds(job.scenario.explore()));
}

// The network refuses a batch that the rank has taken: the rank opens it again.
TEST(batch_model, a_batch_that_is_opened_again_leaves_once) {
  Job<Atomics> job;
  job.scenario.thread("rank", [&] {
    job.fill(0);
    const auto seen = job.state.value();
    if (job.state.take(seen)) job.state.reopen();
    job.wait_until_empty();
  });
  job.scenario.thread("agent", [&] {
    for (;;) {
      const auto seen = job.state.value();
      if (seen.is_open() && job.state.take(seen)) return job.send(seen.size());
      if (!seen.is_open()) model::wait_for_change();
    }
  });
  job.scenario.finally([&] { model::expect(job.left[0].load(relaxed) == 1, "it leaves once"); });
  EXPECT_TRUE(holds(job.scenario.explore()));
}

}  // namespace
}  // namespace gondwana
