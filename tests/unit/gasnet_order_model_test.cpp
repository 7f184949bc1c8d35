// The inline puts and gets of gasnet/rma.h under the model checker: a peer that sees a write made
// after a completed put sees the data of that put, also on weak memory. The test compiles the
// header itself, with operations of the checker in place of its atomics and copies.
#define GASNET_SEQ 1
#include <cstring>

#include "gasnet/configuration.h"
#include "gasnet/events.h"
#include "gasnet/team.h"
#include "gasnet_fwd.h"
#include "support/model/assertions.hpp"
#include "sync/doorbell.hpp"

namespace gondwana {
namespace {

using model::expect;
using model::fails;
using model::holds;
using model::Kind;
using model::Limits;
using model::Outcome;
using model::perform;
using model::Phase;
using model::Scenario;

constexpr std::uint32_t value = 42;

// The segment of rank 1. Its addresses are names for the checker; no access touches the bytes.
struct Segment {
  alignas(8) std::array<char, 24> bytes;  // copied: plain data
  alignas(8) std::array<char, 8> word;    // stored and loaded at once
  alignas(8) std::array<char, 8> flag;
};
Segment segment;

bool is_shared(const void* place) {
  const auto* byte = static_cast<const char*>(place);
  const auto* first = reinterpret_cast<const char*>(&segment);
  return byte >= first && byte < first + sizeof(segment);
}

// The orderings that a mutant of the header lacks. Constant while a scenario is explored.
struct Lacks {
  bool release = false;
  bool acquire = false;
  bool compiler_fence = false;
};
constinit Lacks lacks;

std::memory_order order_of(int order) {
  return order == __ATOMIC_RELAXED ? std::memory_order_relaxed : std::memory_order_seq_cst;
}

void store_word(void* place, std::uint64_t stored, int order) {
  perform(
      place,
      {.kind = Kind::store, .value = static_cast<std::uint32_t>(stored), .order = order_of(order)});
}

// A load of any size that the header uses.
struct Loaded {
  std::uint32_t loaded;

  template <std::integral T>
  operator T() const {  // NOLINT(google-explicit-constructor): as the builtin's result
    return static_cast<T>(loaded);
  }
  bool operator==(int other) const { return loaded == static_cast<std::uint32_t>(other); }
};

Loaded load_word(const void* place, int order) {
  return {perform(place, {.kind = Kind::load, .order = order_of(order)})};
}

void copy(void* to, const void* from, std::size_t size) {
  if (!is_shared(to) && !is_shared(from)) {
    std::memcpy(to, from, size);
    return;
  }
  std::uint32_t first = 0;
  if (is_shared(from)) {
    first = perform(from, {.kind = Kind::read_data});
    std::memcpy(to, &first, sizeof(first));
  } else {
    std::memcpy(&first, from, sizeof(first));
    perform(to, {.kind = Kind::write_data, .value = first});
  }
}

void thread_fence(int order) {
  if (order == __ATOMIC_RELEASE && !lacks.release) model::Atomics::release_fence();
  if (order == __ATOMIC_ACQUIRE && !lacks.acquire) model::Atomics::acquire_fence();
}

void signal_fence(int /*order*/) {
  if (!lacks.compiler_fence) model::Atomics::light_fence();
}

}  // namespace
}  // namespace gondwana

// NOLINTBEGIN(bugprone-reserved-identifier): the header's own words are given another meaning
#define __atomic_store_n(place, stored, order) gondwana::store_word(place, stored, order)
#define __atomic_load_n(place, order) gondwana::load_word(place, order)
#define __atomic_thread_fence(order) gondwana::thread_fence(order)
#define __atomic_signal_fence(order) gondwana::signal_fence(order)
#define __builtin_constant_p(argument) 1
#define memcpy(to, from, size) gondwana::copy(to, from, size)
// NOLINTEND(bugprone-reserved-identifier)
// Replaces functions of the library, which other tests may link.
#define gondwana_gex_put model_put
#define gondwana_gex_put_nb model_put_nb
#define gondwana_gex_put_nbi model_put_nbi
#define gondwana_gex_get model_get
#define gondwana_gex_get_nb model_get_nb
#define gondwana_gex_get_nbi model_get_nbi
#define gondwana_gex_wake model_wake
#define gondwana_gex_await model_await
#include "gasnet/progress.h"
#include "gasnet/rma.h"
#undef __builtin_constant_p
#undef memcpy

namespace gondwana {
namespace {

using Bell = Doorbell<model::Atomics>;
constinit Bell* present_bell = nullptr;

int leaves_inline_path() {
  expect(false, "the inline path reaches the segment");
  return 1;
}

}  // namespace
}  // namespace gondwana

extern "C" {
int model_put(gex_TM_t, gex_Rank_t, void*, const void*, size_t, gex_Flags_t) {
  return gondwana::leaves_inline_path();
}
int model_get(gex_TM_t, void*, gex_Rank_t, const void*, size_t, gex_Flags_t) {
  return gondwana::leaves_inline_path();
}
int model_put_nbi(gex_TM_t, gex_Rank_t, void*, const void*, size_t, gex_Event_t*, gex_Flags_t) {
  return gondwana::leaves_inline_path();
}
int model_get_nbi(gex_TM_t, void*, gex_Rank_t, const void*, size_t, gex_Flags_t) {
  return gondwana::leaves_inline_path();
}
gex_Event_t model_put_nb(gex_TM_t, gex_Rank_t, void*, const void*, size_t, gex_Event_t*,
                         gex_Flags_t) {
  gondwana::leaves_inline_path();
  return GEX_EVENT_INVALID;
}
gex_Event_t model_get_nb(gex_TM_t, void*, gex_Rank_t, const void*, size_t, gex_Flags_t) {
  gondwana::leaves_inline_path();
  return GEX_EVENT_INVALID;
}
// The header has checked the flag already; the library checks again.
void model_wake(gex_TM_t, gex_Rank_t) {
  gondwana::present_bell->ring_if_asleep();
}
void model_await(unsigned int*) {
  gondwana::model::wait_for_change();
}
}

namespace gondwana {
namespace {

// Two ranks and the segment of the second rank, which sleeps at the bell.
struct Job {
  Scenario scenario;
  Bell bell;
  std::array<gondwana_gex_member, 2> members{};
  gondwana_gex_team team{};

  Job() {
    const auto address = reinterpret_cast<std::uintptr_t>(&segment);
    const auto* asleep = reinterpret_cast<const std::uint32_t*>(&bell.asleep);
    members[1] = {address, sizeof(segment), 0, asleep};
    team = {2, 0, members.data()};
    present_bell = &bell;
    scenario.name(bell, "bell");
    scenario.name(reinterpret_cast<const model::Data&>(segment.bytes), "bytes");
    scenario.name(reinterpret_cast<const model::Word&>(segment.word), "word");
    scenario.name(reinterpret_cast<const model::Word&>(segment.flag), "flag");
  }

  template <std::size_t Size>
  void put(std::array<char, Size>& place) {
    std::array<char, Size> source{};
    std::memcpy(source.data(), &value, sizeof(value));
    gex_RMA_PutBlocking(&team, 1, place.data(), source.data(), Size, 0);
  }

  template <std::size_t Size>
  std::uint32_t get(std::array<char, Size>& place) {
    std::array<char, Size> target{};
    gex_RMA_GetBlocking(&team, target.data(), 1, place.data(), Size, 0);
    std::uint32_t got = 0;
    std::memcpy(&got, target.data(), sizeof(got));
    return got;
  }

  Outcome explore() { return scenario.explore({.thread_fences = true}); }
};

// Puts a value, then a flag. The peer gets the flag until it is set, then the value.
template <typename Place>
Outcome put_and_flag(Place& place) {
  Job job;
  job.scenario.thread("writer", [&] {
    job.put(place);
    job.put(segment.flag);
  });
  job.scenario.thread("reader", [&] {
    while (job.get(segment.flag) == 0) model::wait_for_change();
    expect(job.get(place) == value, "the flag comes after the data");
  });
  return job.explore();
}

// The program owns the flag. It stores it when the put has returned, and waits for it as a client
// of GASNet does.
Outcome put_and_own_flag(bool nonblocking) {
  Job job;
  model::Word flag;
  job.scenario.name(flag, "own flag");
  job.scenario.thread("writer", [&, nonblocking] {
    const std::array<char, sizeof(segment.bytes)> source{static_cast<char>(value)};
    if (nonblocking)
      gex_RMA_PutNBI(&job.team, 1, segment.bytes.data(), source.data(), source.size(),
                     GEX_EVENT_NOW, 0);
    else
      job.put(segment.bytes);
    flag.store(1, std::memory_order_relaxed);
  });
  job.scenario.thread("reader", [&] {
    GASNET_BLOCKUNTIL(flag.load(std::memory_order_relaxed) == 1);
    expect(perform(segment.bytes.data(), {.kind = Kind::read_data}) == value, "the put is there");
  });
  return job.explore();
}

Outcome put_wakes_sleeper() {
  Job job;
  job.scenario.thread("writer", [&] { job.put(segment.word); });
  job.scenario.thread("sleeper", [&] {
    const auto done = [] {
      return load_word(segment.word.data(), __ATOMIC_RELAXED).loaded == value;
    };
    job.bell.sleep_until(done, std::nullopt);
  });
  return job.explore();
}

// The header lacks one ordering while this object exists.
class Mutant {
 public:
  explicit Mutant(Lacks what) { lacks = what; }
  ~Mutant() { lacks = {}; }
  Mutant(const Mutant&) = delete;
  Mutant& operator=(const Mutant&) = delete;
};

TEST(gasnet_order_model, peer_that_gets_a_flag_gets_the_data_put_before_it) {
  EXPECT_TRUE(holds(put_and_flag(segment.bytes)));
  EXPECT_TRUE(holds(put_and_flag(segment.word)));
}

TEST(gasnet_order_model, peer_that_sees_a_flag_stored_after_a_put_sees_its_data) {
  EXPECT_TRUE(holds(put_and_own_flag(false)));
  EXPECT_TRUE(holds(put_and_own_flag(true)));
}

TEST(gasnet_order_model, put_wakes_who_sleeps_until_the_word_changes) {
  EXPECT_TRUE(holds(put_wakes_sleeper()));
}

TEST(gasnet_order_model, puts_without_a_release_fence_are_found) {
  const Mutant mutant({.release = true});
  EXPECT_TRUE(fails(put_and_flag(segment.bytes), "data race"));
  EXPECT_TRUE(fails(put_and_flag(segment.word), "the flag comes after the data"));
  EXPECT_TRUE(fails(put_and_own_flag(false), "data race"));
  EXPECT_TRUE(fails(put_and_own_flag(true), "data race"));
}

TEST(gasnet_order_model, gets_and_waits_without_an_acquire_fence_are_found) {
  const Mutant mutant({.acquire = true});
  EXPECT_TRUE(fails(put_and_flag(segment.bytes), "data race"));
  EXPECT_TRUE(fails(put_and_flag(segment.word), "the flag comes after the data"));
  EXPECT_TRUE(fails(put_and_own_flag(false), "data race"));
}

TEST(gasnet_order_model, puts_that_look_early_whether_to_wake_are_found) {
  const Mutant mutant({.compiler_fence = true});
  EXPECT_TRUE(fails(put_wakes_sleeper(), "deadlock"));
}

}  // namespace
}  // namespace gondwana
