// The barrier and the broadcast that the engine makes of TeamSync and Doorbell, under the model
// checker: nobody sleeps for ever, and plain data on either side of them does not race.
#include <fmt/format.h>

#include "core/team_sync.hpp"
#include "support/model/assertions.hpp"

namespace gondwana {
namespace {

using model::Atomics;
using model::Data;
using model::fails;
using model::holds;
using model::Limits;
using model::Outcome;
using model::Scenario;

constexpr Timeout for_ever = std::nullopt;
constexpr std::uint32_t most_members = 3;

struct Lines {
  std::array<SyncLine<Atomics>, most_members> lines;
  std::array<Doorbell<Atomics>, most_members> bells;
};

struct Members {
  Lines* all;
  std::uint32_t count;

  std::uint32_t size() const { return count; }
  SyncLine<Atomics>& line(std::uint32_t i) const { return all->lines[i]; }
  Doorbell<Atomics>& doorbell(std::uint32_t i) const { return all->bells[i]; }
};

using Sync = TeamSync<Atomics, Members>;

// TeamSync with one thing wrong each.
struct ReleaseAdvance : Sync {
  ReleaseAdvance(Members members, std::uint32_t me) : Sync(members, me), own(members.line(me)) {}
  void advance(Epoch epoch) { own.epoch.store(epoch, std::memory_order_release); }
  SyncLine<Atomics>& own;
};

struct RelaxedAdvance : ReleaseAdvance {
  using ReleaseAdvance::ReleaseAdvance;
  void arrive(Epoch epoch) { advance(epoch); }
  void advance(Epoch epoch) { own.epoch.store(epoch, std::memory_order_relaxed); }
};

// Of two members that advance at once both may then read the other's old line.
struct AcquireReached : Sync {
  AcquireReached(Members members, std::uint32_t me) : Sync(members, me), all(members) {}
  bool reached(std::uint32_t member, Epoch epoch) const {
    return all.line(member).epoch.load(std::memory_order_acquire) >= epoch;
  }
  Members all;
};

struct SilentSync : Sync {
  using Sync::Sync;
  void ring_sleepers() {}
};

enum class Poll { before_sleeping, never };

struct Team {
  Scenario scenario;
  Lines lines;
  std::uint32_t size;

  explicit Team(std::uint32_t members) : size(members) {
    for (std::uint32_t i = 0; i < members; ++i) {
      scenario.name(lines.lines[i].epoch, fmt::format("{}.epoch", i));
      scenario.name(lines.bells[i], std::to_string(i));
    }
  }

  template <typename S>
  S sync(std::uint32_t me) {
    return S({&lines, size}, me);
  }
  Doorbell<Atomics>& bell(std::uint32_t member) { return lines.bells[member]; }
};

// The phases of a barrier: nothing but the memory tells the second what happened in the first.
template <typename S>
void add_barrier(std::vector<model::Phase>& phases, Team& team, std::uint32_t me, Epoch epoch,
                 Poll poll) {
  phases.emplace_back([&team, me, epoch, poll] {
    S sync = team.sync<S>(me);
    sync.arrive(epoch);
    std::uint32_t from = 0;
    const auto done = [&] { return sync.all_reached(epoch, from); };
    if (poll == Poll::never || !done()) team.bell(me).sleep_until(done, for_ever);
  });
  phases.emplace_back([&team, me] { team.sync<S>(me).ring_sleepers(); });
}

// Each member writes its cell, then reads its neighbour's after the barrier, then, after another
// one, overwrites its own: what a stencil code does.
template <typename S>
Outcome barriers(std::uint32_t members, Epoch last, Poll poll, const Limits& limits = {}) {
  Team team(members);
  std::array<Data, most_members> cells;
  for (std::uint32_t me = 0; me < members; ++me) {
    Data& mine = cells[me];
    Data& neighbours = cells[(me + 1) % members];
    std::vector<model::Phase> phases;
    for (Epoch epoch = 1; epoch <= last; ++epoch) {
      if (epoch % 2 == 1) phases.emplace_back([&mine, epoch] { mine.write(epoch); });
      add_barrier<S>(phases, team, me, epoch, poll);
      if (epoch % 2 == 1) {
        phases.emplace_back([&neighbours, epoch] {
          model::expect(neighbours.read() == epoch, "the neighbour's write is seen");
        });
      }
    }
    if (last % 2 == 0) phases.emplace_back([&mine] { mine.write(0); });
    team.scenario.phases(fmt::format("member {}", me), std::move(phases));
  }
  return team.scenario.explore(limits);
}

// Member 0 writes the data of each round; the others read it and say so; the last of them to say so
// wakes the root, which may then overwrite the data.
template <typename S>
std::vector<model::Phase> root_phases(Team& team, Data& data, std::uint32_t rounds) {
  std::vector<model::Phase> phases;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    phases.emplace_back([&team, &data, round] {
      S sync = team.sync<S>(0);
      data.write(round);
      sync.advance(2 * round - 1);
      sync.ring_sleepers();
    });
    phases.emplace_back([&team, round] {
      const S sync = team.sync<S>(0);
      std::uint32_t from = 1;
      const auto done = [&] { return sync.all_reached(2 * round, from); };
      team.bell(0).sleep_until(done, for_ever);
    });
    phases.emplace_back([&team, round] { team.sync<S>(0).advance(2 * round); });
  }
  phases.emplace_back([&data] { data.write(0); });
  return phases;
}

template <typename S>
std::vector<model::Phase> reader_phases(Team& team, Data& data, std::uint32_t me,
                                        std::uint32_t rounds) {
  std::vector<model::Phase> phases;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    phases.emplace_back([&team, &data, me, round] {
      const S sync = team.sync<S>(me);
      team.bell(me).sleep_until([&] { return sync.reached(0, 2 * round - 1); }, for_ever);
      model::expect(data.read() == round, "the root's data is seen");
    });
    phases.emplace_back([&team, me, round] {
      S sync = team.sync<S>(me);
      sync.advance(2 * round);
      for (std::uint32_t other = 1; other < team.size; ++other)
        if (other != me && !sync.reached(other, 2 * round)) return;
      team.bell(0).ring_if_asleep();
    });
  }
  return phases;
}

template <typename S>
Outcome broadcasts(std::uint32_t members, std::uint32_t rounds, const Limits& limits = {}) {
  Team team(members);
  Data data;
  team.scenario.phases("root", root_phases<S>(team, data, rounds));
  for (std::uint32_t me = 1; me < members; ++me)
    team.scenario.phases(fmt::format("member {}", me), reader_phases<S>(team, data, me, rounds));
  return team.scenario.explore(limits);
}

// Each member shows a term in its scratch, then reads everybody's, one after another. Two halves of
// scratch in turn: a member may be a reduction ahead of the slowest, but not two.
template <typename S>
Outcome reductions(std::uint32_t members, std::uint32_t halves, Epoch last,
                   const Limits& limits = {}) {
  Team team(members);
  std::array<std::array<Data, 2>, most_members> scratch;
  for (std::uint32_t me = 0; me < members; ++me) {
    std::vector<model::Phase> phases;
    for (Epoch epoch = 1; epoch <= last; ++epoch) {
      phases.emplace_back([&team, &scratch, me, epoch, halves] {
        S sync = team.sync<S>(me);
        scratch[me][epoch % halves].write(epoch);
        sync.advance(epoch);
        if (sync.all_reached(epoch)) sync.ring_sleepers();
      });
      for (std::uint32_t member = 0; member < members; ++member) {
        phases.emplace_back([&team, &scratch, me, member, epoch, halves] {
          const S sync = team.sync<S>(me);
          const auto done = [&] { return sync.reached(member, epoch); };
          if (!done()) team.bell(me).sleep_until(done, for_ever);
          model::expect(scratch[member][epoch % halves].read() == epoch, "the term is seen");
        });
      }
      phases.emplace_back([&team, me] { team.sync<S>(me).ring_sleepers(); });
    }
    team.scenario.phases(fmt::format("member {}", me), std::move(phases));
  }
  return team.scenario.explore(limits);
}

TEST(team_sync_model, reductions_in_every_interleaving) {
  EXPECT_TRUE(holds(reductions<Sync>(2, 2, 2)));
}

TEST(team_sync_model, reductions_within_bounds) {
  const Limits bounds{.preemptions = 2, .behind = 1};
  EXPECT_TRUE(holds(reductions<Sync>(2, 2, 3, bounds)));
  EXPECT_TRUE(holds(reductions<Sync>(3, 2, 1, bounds)));
}

TEST(team_sync_model, reductions_need_two_halves_of_scratch) {
  EXPECT_TRUE(fails(reductions<Sync>(2, 1, 2), "the term is seen"));
}

TEST(team_sync_model, barriers_of_two_members_in_every_interleaving) {
  EXPECT_TRUE(holds(barriers<Sync>(2, 3, Poll::never)));
  EXPECT_TRUE(holds(barriers<Sync>(2, 2, Poll::before_sleeping)));
}

// It holds in every interleaving too, but those take ten seconds and gigabytes: not for every run.
TEST(team_sync_model, barrier_of_three_members_with_two_preemptions) {
  EXPECT_TRUE(holds(barriers<Sync>(3, 1, Poll::before_sleeping, {.preemptions = 2})));
}

TEST(team_sync_model, barriers_of_three_members_one_after_another_within_bounds) {
  const Limits bounds{.preemptions = 1, .behind = 2};
  EXPECT_TRUE(holds(barriers<Sync>(3, 2, Poll::never, bounds)));
  EXPECT_TRUE(holds(barriers<Sync>(3, 2, Poll::before_sleeping, bounds)));
}

TEST(team_sync_model, barriers_hold_where_heavy_fences_are_refused) {
  EXPECT_TRUE(holds(barriers<Sync>(2, 1, Poll::never, {.heavy_fence_refused = true})));
  const Limits bounds{.heavy_fence_refused = true, .preemptions = 1, .behind = 2};
  EXPECT_TRUE(holds(barriers<Sync>(2, 2, Poll::before_sleeping, bounds)));
  EXPECT_TRUE(holds(barriers<Sync>(3, 1, Poll::before_sleeping, bounds)));
}

TEST(team_sync_model, broadcasts_in_every_interleaving) {
  EXPECT_TRUE(holds(broadcasts<Sync>(2, 2)));
  EXPECT_TRUE(holds(broadcasts<Sync>(3, 1)));
}

TEST(team_sync_model, broadcasts_one_after_another_within_bounds) {
  EXPECT_TRUE(holds(broadcasts<Sync>(3, 2, {.preemptions = 2, .behind = 2})));
  EXPECT_TRUE(
      holds(broadcasts<Sync>(3, 1, {.heavy_fence_refused = true, .preemptions = 2, .behind = 2})));
}

TEST(team_sync_model, broadcast_loses_a_wake_if_readers_miss_each_other) {
  const std::string lost = "deadlock: root is in futex_wait(0.rings";
  EXPECT_TRUE(fails(broadcasts<ReleaseAdvance>(3, 1), lost));
  EXPECT_TRUE(fails(broadcasts<AcquireReached>(3, 1), lost));
}

TEST(team_sync_model, team_that_does_not_ring_sleeps_for_ever) {
  EXPECT_TRUE(fails(barriers<SilentSync>(2, 1, Poll::before_sleeping), "deadlock"));
  EXPECT_TRUE(fails(broadcasts<SilentSync>(2, 1), "deadlock"));
}

TEST(team_sync_model, relaxed_advance_lets_data_race) {
  EXPECT_TRUE(fails(barriers<RelaxedAdvance>(2, 1, Poll::before_sleeping), "data race"));
  EXPECT_TRUE(fails(broadcasts<RelaxedAdvance>(2, 1), "data race"));
}

}  // namespace
}  // namespace gondwana
