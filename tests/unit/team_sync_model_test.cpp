// The barrier and the broadcast that the engine builds from TeamSync and Doorbell, under the model
// checker: no member sleeps forever, and plain data on either side of them does not race.
#include <fmt/format.h>

#include "support/model/assertions.hpp"
#include "sync/grouped_sync.hpp"
#include "sync/team_sync.hpp"

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
constexpr std::uint32_t max_members = 3;

struct Lines {
  std::array<SyncLine<Atomics>, max_members> lines;
  std::array<Doorbell<Atomics>, max_members> bells;
};

struct Members {
  Lines* all;
  std::uint32_t count;

  std::uint32_t size() const { return count; }
  SyncLine<Atomics>& line(std::uint32_t i) const { return all->lines[i]; }
  Doorbell<Atomics>& doorbell(std::uint32_t i) const { return all->bells[i]; }
};

using Sync = TeamSync<Atomics, Members>;

// TeamSync with one fault each.
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

// If two members advance at once, both may then read the old line of the other.
struct AcquireReached : Sync {
  AcquireReached(Members members, std::uint32_t me) : Sync(members, me), all(members) {}
  bool reached(std::uint32_t member, Epoch epoch) const {
    return all.line(member).epoch.load(std::memory_order_acquire) >= epoch;
  }
  bool all_reached(Epoch epoch) const {
    std::uint32_t from = 0;
    while (from < all.size() && reached(from, epoch)) ++from;
    return from == all.size();
  }
  Members all;
};

struct SilentSync : Sync {
  using Sync::Sync;
  void ring_sleepers(Epoch /*epoch*/) {}
};

// Groups of two.
struct Groups : GroupedSync<Atomics, Members> {
  Groups(Members members, std::uint32_t me) : GroupedSync(members, me, 2), all(members), own(me) {}
  Members all;
  std::uint32_t own;
};

// A member that sees that all have arrived wakes only its own group.
struct SelfishGroups : Groups {
  using Groups::Groups;
  void ring_sleepers(Epoch /*epoch*/) {
    for (std::uint32_t i = own / 2 * 2; i < std::min(own / 2 * 2 + 2, all.size()); ++i)
      if (i != own) all.doorbell(i).ring_if_asleep();
  }
};

// A claim in two steps: both members may find the place unclaimed.
struct SharedClaims : Sync {
  SharedClaims(Members members, std::uint32_t me) : Sync(members, me), all(members) {}
  bool claim(std::uint32_t member, Epoch epoch) {
    auto& claimed = all.line(member).claimed;
    if (claimed.load(std::memory_order_relaxed) >= epoch) return false;
    claimed.store(epoch, std::memory_order_relaxed);
    return true;
  }
  Members all;
};

enum class Poll { before_sleeping, never };

struct Team {
  Scenario scenario;
  Lines lines;
  std::uint32_t size;

  explicit Team(std::uint32_t members) : size(members) {
    for (std::uint32_t i = 0; i < members; ++i) {
      scenario.name(lines.lines[i].epoch, fmt::format("{}.epoch", i));
      scenario.name(lines.lines[i].claimed, fmt::format("{}.claimed", i));
      scenario.name(lines.lines[i].group, fmt::format("{}.group", i));
      scenario.name(lines.bells[i], std::to_string(i));
    }
  }

  template <typename S>
  S sync(std::uint32_t me) {
    return S({&lines, size}, me);
  }
  Doorbell<Atomics>& bell(std::uint32_t member) { return lines.bells[member]; }
};

// The phases of a barrier: only the memory tells the second what happened in the first.
template <typename S>
void add_barrier(std::vector<model::Phase>& phases, Team& team, std::uint32_t me, Epoch epoch,
                 Poll poll) {
  phases.emplace_back([&team, me, epoch, poll] {
    S sync = team.sync<S>(me);
    sync.arrive(epoch);
    typename S::Progress progress{};
    const auto done = [&] { return sync.all_reached(epoch, progress); };
    if (poll == Poll::never || !done()) team.bell(me).sleep_until(done, for_ever);
  });
  phases.emplace_back([&team, me, epoch] { team.sync<S>(me).ring_sleepers(epoch); });
}

// Each member writes its cell, reads its neighbour after the barrier, and overwrites its own cell
// after another one, as a stencil code does.
template <typename S>
Outcome barriers(std::uint32_t members, Epoch last, Poll poll, const Limits& limits = {}) {
  Team team(members);
  std::array<Data, max_members> cells;
  for (std::uint32_t me = 0; me < members; ++me) {
    Data& mine = cells[me];
    Data& neighbours = cells[(me + 1) % members];
    std::vector<model::Phase> phases;
    for (std::uint32_t epoch = 1; epoch <= last; ++epoch) {
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

// A root that stores to the dest of every member and waits for none.
template <typename S>
Outcome small_broadcasts(std::uint32_t members, std::uint32_t rounds, const Limits& limits = {}) {
  Team team(members);
  std::array<std::array<Data, max_members>, 2> dests;
  std::vector<model::Phase> root;
  root.reserve(rounds);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    root.emplace_back([&team, &dests, round] {
      for (std::uint32_t i = 1; i < team.size; ++i) dests[round][i].write(round + 1);
      S sync = team.sync<S>(0);
      sync.arrive(round + 1);
      sync.ring_sleepers(round + 1);
    });
  }
  team.scenario.phases("root", std::move(root));
  for (std::uint32_t me = 1; me < members; ++me) {
    std::vector<model::Phase> phases;
    phases.reserve(rounds);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      phases.emplace_back([&team, &dests, me, round] {
        S sync = team.sync<S>(me);
        team.bell(me).sleep_until([&] { return sync.reached(0, round + 1); }, for_ever);
        model::expect(dests[round][me].read() == round + 1, "the root's data is there");
        sync.arrive(round + 1);
      });
    }
    team.scenario.phases(fmt::format("member {}", me), std::move(phases));
  }
  return team.scenario.explore(limits);
}

// Broadcasts in which the root or the receiver makes the copy, whichever comes first. Round r has
// source r, and its root overwrites that at once.
struct LargeBroadcasts {
  enum class Roots { the_same, in_turn };
  enum class Leave { after_the_root, at_once };

  Team team;
  Roots roots;
  Leave leave;
  std::array<Data, 2> sources;
  std::array<std::array<Data, max_members>, 2> dests;

  static Epoch ready(std::uint32_t round) { return 2 * round + 1; }
  static Epoch copied(std::uint32_t round) { return 2 * round + 2; }
  std::uint32_t root(std::uint32_t round) const { return roots == Roots::in_turn ? round : 0; }

  void copy(std::uint32_t round, std::uint32_t member) {
    const std::uint32_t value = sources[round].read();
    model::expect(value == round + 1, "the source is still what it was");
    dests[round][member].write(value);
  }

  template <typename S>
  void add_root(std::vector<model::Phase>& phases, std::uint32_t me, std::uint32_t round) {
    phases.emplace_back([this, me, round] {
      sources[round].write(round + 1);
      S sync = team.sync<S>(me);
      sync.arrive(ready(round));
      sync.ring_sleepers(ready(round));
    });
    phases.emplace_back([this, me, round] {
      S sync = team.sync<S>(me);
      std::uint32_t takers = 0;
      for (std::uint32_t i = 0; i < team.size; ++i) {
        if (i == me) continue;
        if (sync.claim(i, copied(round)))
          copy(round, i);
        else
          ++takers;
      }
      const auto takers_are_done = [&] {
        std::uint32_t done = 0;
        for (std::uint32_t i = 0; i < team.size; ++i)
          if (i != me && sync.reached(i, ready(round))) ++done;
        return done == takers;
      };
      team.bell(me).sleep_until(takers_are_done, for_ever);
      sync.arrive(copied(round));
      sync.ring_sleepers(copied(round));
      sources[round].write(0);
    });
  }

  template <typename S>
  void add_member(std::vector<model::Phase>& phases, std::uint32_t me, std::uint32_t round) {
    phases.emplace_back([this, me, round] {
      S sync = team.sync<S>(me);
      const std::uint32_t from = root(round);
      team.bell(me).sleep_until([&] { return sync.reached(from, ready(round)); }, for_ever);
      const bool mine = sync.claim(me, copied(round));
      if (mine) {
        copy(round, me);
        sync.arrive(ready(round));
        team.bell(from).ring_if_asleep();
      }
      if (!mine || leave == Leave::after_the_root)
        team.bell(me).sleep_until([&] { return sync.reached(from, copied(round)); }, for_ever);
      model::expect(dests[round][me].read() == round + 1, "the root's data is there");
      sync.arrive(copied(round));
    });
  }

  template <typename S>
  Outcome explore(std::uint32_t rounds, const Limits& limits) {
    for (std::uint32_t me = 0; me < team.size; ++me) {
      std::vector<model::Phase> phases;
      for (std::uint32_t round = 0; round < rounds; ++round) {
        if (me == root(round))
          add_root<S>(phases, me, round);
        else
          add_member<S>(phases, me, round);
      }
      team.scenario.phases(fmt::format("member {}", me), std::move(phases));
    }
    return team.scenario.explore(limits);
  }
};

template <typename S>
Outcome large_broadcasts(std::uint32_t members, std::uint32_t rounds, const Limits& limits = {},
                         LargeBroadcasts::Roots roots = LargeBroadcasts::Roots::the_same,
                         LargeBroadcasts::Leave leave = LargeBroadcasts::Leave::after_the_root) {
  LargeBroadcasts broadcasts{Team(members), roots, leave, {}, {}};
  return broadcasts.explore<S>(rounds, limits);
}

// Each member publishes a term in its scratch, then reads all terms in turn. The halves of the
// scratch alternate: a member may be one reduction ahead of the slowest, not two.
template <typename S>
Outcome reductions(std::uint32_t members, std::uint32_t halves, Epoch last,
                   const Limits& limits = {}) {
  Team team(members);
  std::array<std::array<Data, 2>, max_members> scratch;
  for (std::uint32_t me = 0; me < members; ++me) {
    std::vector<model::Phase> phases;
    for (std::uint32_t epoch = 1; epoch <= last; ++epoch) {
      phases.emplace_back([&team, &scratch, me, epoch, halves] {
        S sync = team.sync<S>(me);
        scratch[me][epoch % halves].write(epoch);
        sync.advance(epoch);
        if (sync.all_reached(epoch)) sync.ring_sleepers(epoch);
      });
      for (std::uint32_t member = 0; member < members; ++member) {
        phases.emplace_back([&team, &scratch, me, member, epoch, halves] {
          const S sync = team.sync<S>(me);
          const auto done = [&] { return sync.reached(member, epoch); };
          if (!done()) team.bell(me).sleep_until(done, for_ever);
          model::expect(scratch[member][epoch % halves].read() == epoch, "the term is seen");
        });
      }
    }
    team.scenario.phases(fmt::format("member {}", me), std::move(phases));
  }
  return team.scenario.explore(limits);
}

// Each member publishes its size, reads the sizes before it, stores to the dest of its neighbour,
// and then all wait for all.
template <typename S>
Outcome collections(std::uint32_t members, const Limits& limits = {}) {
  Team team(members);
  std::array<Data, max_members> sizes;
  std::array<Data, max_members> dests;
  for (std::uint32_t me = 0; me < members; ++me) {
    std::vector<model::Phase> phases;
    phases.emplace_back([&team, &sizes, me] {
      S sync = team.sync<S>(me);
      sizes[me].write(me + 1);
      sync.advance(1);
      if (sync.all_reached(1)) sync.ring_sleepers(1);
    });
    for (std::uint32_t member = 0; member < me; ++member) {
      phases.emplace_back([&team, &sizes, me, member] {
        const S sync = team.sync<S>(me);
        const auto done = [&] { return sync.reached(member, 1); };
        if (!done()) team.bell(me).sleep_until(done, for_ever);
        model::expect(sizes[member].read() == member + 1, "the size is seen");
      });
    }
    phases.emplace_back([&dests, me, members] { dests[(me + 1) % members].write(me + 1); });
    add_barrier<S>(phases, team, me, 2, Poll::before_sleeping);
    phases.emplace_back([&dests, me, members] {
      model::expect(dests[me].read() == (me + members - 1) % members + 1, "all is there");
    });
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

// It holds in every interleaving too, but that takes ten seconds and gigabytes per run.
TEST(team_sync_model, barrier_of_three_members_with_two_preemptions) {
  EXPECT_TRUE(holds(barriers<Sync>(3, 1, Poll::before_sleeping, {.preemptions = 2})));
}

TEST(team_sync_model, barriers_of_three_members_one_after_another_within_bounds) {
  const Limits bounds{.preemptions = 1, .behind = 2};
  EXPECT_TRUE(holds(barriers<Sync>(3, 2, Poll::never, bounds)));
  EXPECT_TRUE(holds(barriers<Sync>(3, 2, Poll::before_sleeping, bounds)));
}

TEST(team_sync_model, barriers_of_groups_within_bounds) {
  EXPECT_TRUE(
      holds(barriers<Groups>(3, 1, Poll::before_sleeping, {.preemptions = 2, .behind = 2})));
  const Limits bounds{.preemptions = 1, .behind = 2};
  EXPECT_TRUE(holds(barriers<Groups>(3, 2, Poll::never, bounds)));
  EXPECT_TRUE(holds(barriers<Groups>(3, 2, Poll::before_sleeping, bounds)));
  const Limits refused{.heavy_fence_refused = true, .preemptions = 1, .behind = 2};
  EXPECT_TRUE(holds(barriers<Groups>(3, 1, Poll::before_sleeping, refused)));
}

TEST(team_sync_model, the_first_of_each_group_must_be_woken) {
  const Limits bounds{.preemptions = 1, .behind = 2};
  EXPECT_TRUE(fails(barriers<SelfishGroups>(3, 1, Poll::before_sleeping, bounds), "deadlock"));
}

TEST(team_sync_model, barriers_hold_where_heavy_fences_are_refused) {
  EXPECT_TRUE(holds(barriers<Sync>(2, 1, Poll::never, {.heavy_fence_refused = true})));
  const Limits bounds{.heavy_fence_refused = true, .preemptions = 1, .behind = 2};
  EXPECT_TRUE(holds(barriers<Sync>(2, 2, Poll::before_sleeping, bounds)));
  EXPECT_TRUE(holds(barriers<Sync>(3, 1, Poll::before_sleeping, bounds)));
}

TEST(team_sync_model, small_broadcasts_in_every_interleaving) {
  EXPECT_TRUE(holds(small_broadcasts<Sync>(2, 2)));
  EXPECT_TRUE(holds(small_broadcasts<Sync>(3, 1)));
}

TEST(team_sync_model, large_broadcasts_in_every_interleaving) {
  EXPECT_TRUE(holds(large_broadcasts<Sync>(2, 1)));
}

TEST(team_sync_model, large_broadcasts_within_bounds) {
  using Roots = LargeBroadcasts::Roots;
  const Limits bounds{.preemptions = 2, .behind = 1};
  EXPECT_TRUE(holds(large_broadcasts<Sync>(2, 2, bounds)));
  EXPECT_TRUE(holds(large_broadcasts<Sync>(2, 2, bounds, Roots::in_turn)));
  EXPECT_TRUE(holds(large_broadcasts<Sync>(3, 1, bounds)));
  EXPECT_TRUE(holds(large_broadcasts<Sync>(3, 2, {.preemptions = 1, .behind = 1}, Roots::in_turn)));
}

TEST(team_sync_model, broadcasts_hold_where_heavy_fences_are_refused) {
  const Limits bounds{.heavy_fence_refused = true, .preemptions = 2, .behind = 2};
  EXPECT_TRUE(holds(small_broadcasts<Sync>(3, 1, bounds)));
  EXPECT_TRUE(holds(large_broadcasts<Sync>(2, 1, bounds)));
}

TEST(team_sync_model, nobody_may_leave_a_large_broadcast_before_its_root) {
  EXPECT_TRUE(fails(
      large_broadcasts<Sync>(3, 2, {.preemptions = 1, .behind = 0}, LargeBroadcasts::Roots::in_turn,
                             LargeBroadcasts::Leave::at_once),
      "deadlock"));
}

TEST(team_sync_model, copies_race_if_two_can_claim_them) {
  EXPECT_TRUE(fails(large_broadcasts<SharedClaims>(2, 1), "data race"));
}

TEST(team_sync_model, collections_in_every_interleaving) {
  EXPECT_TRUE(holds(collections<Sync>(2)));
}

TEST(team_sync_model, collections_within_bounds) {
  EXPECT_TRUE(holds(collections<Sync>(3, {.preemptions = 1, .behind = 1})));
}

TEST(team_sync_model, reductions_lose_a_wake_if_members_miss_each_other) {
  EXPECT_TRUE(fails(reductions<ReleaseAdvance>(2, 2, 1), "deadlock"));
  const Limits bounds{.preemptions = 2, .behind = 2};
  EXPECT_TRUE(fails(reductions<AcquireReached>(3, 2, 1, bounds), "deadlock"));
}

TEST(team_sync_model, team_that_does_not_ring_sleeps_for_ever) {
  EXPECT_TRUE(fails(barriers<SilentSync>(2, 1, Poll::before_sleeping), "deadlock"));
  EXPECT_TRUE(fails(small_broadcasts<SilentSync>(2, 1), "deadlock"));
  EXPECT_TRUE(fails(large_broadcasts<SilentSync>(2, 1), "deadlock"));
}

TEST(team_sync_model, relaxed_advance_lets_data_race) {
  EXPECT_TRUE(fails(barriers<RelaxedAdvance>(2, 1, Poll::before_sleeping), "data race"));
  EXPECT_TRUE(fails(small_broadcasts<RelaxedAdvance>(2, 1), "data race"));
  EXPECT_TRUE(fails(large_broadcasts<RelaxedAdvance>(2, 1), "data race"));
}

}  // namespace
}  // namespace gondwana
