// Collectives of teams on several nodes, in every shape that a team can have there. The same must
// hold for all ranks on one node, and without common memory.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "engine/teams/nodes.hpp"
#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

constexpr CallName call = "test";

// Sometimes delays this rank.
void be_late(World& world) {
  if (world.random()() % 4 == 0)
    std::this_thread::sleep_for(std::chrono::microseconds(world.random()() % 300));
}

using TeamBody = std::function<void(Team&)>;

void in_team(World& world, const Members& members, const TeamBody& body) {
  Engine& engine = world.engine();
  const bool is_member = members.member_of(engine.rank()).has_value();
  const Result<Team*> team = engine.collectives().split(
      engine.teams().world(), call, is_member ? std::optional(members) : std::nullopt);
  ASSERT_TRUE(team) << team.error().text;
  if (*team == nullptr) return;
  body(**team);
  engine.collectives().destroy(**team, call);
}

// Lists in which the nodes of a job alternate, and one of every third rank missing.
std::vector<Members> listed(std::uint32_t ranks) {
  std::vector<std::uint32_t> outside_in(ranks);
  for (std::uint32_t i = 0; i < ranks; ++i) outside_in[i] = i % 2 == 0 ? i / 2 : ranks - 1 - i / 2;
  std::vector<std::uint32_t> inside_out(outside_in.rbegin(), outside_in.rend());
  std::vector<Members> lists{Members::of(outside_in), Members::of(inside_out)};
  std::erase_if(outside_in, [](std::uint32_t rank) { return rank % 3 == 2; });
  lists.push_back(Members::of(outside_in));
  return lists;
}

// Every start, step and size, up and down: with many, one or no members on a node. And lists.
void in_every_team(World& world, const TeamBody& body) {
  const auto ranks = static_cast<std::int32_t>(world.size());
  for (std::int32_t start = 0; start < ranks; ++start) {
    for (const std::int32_t stride : {1, 2, 3, -1, -2}) {
      const std::int32_t room = stride > 0 ? ranks - 1 - start : start;
      const auto most = static_cast<std::uint32_t>(room / std::abs(stride) + 1);
      for (std::uint32_t size = most; size > 1; size = size > 3 ? size - 2 : size - 1)
        in_team(world, {static_cast<std::uint32_t>(start), stride, size}, body);
    }
  }
  for (const Members& members : listed(static_cast<std::uint32_t>(ranks)))
    if (members.size > 1) in_team(world, members, body);
}

// x -> a x + b: composing two is associative, but their order matters. Eight bytes, or sixteen.
template <typename T>
struct Affine {
  T a;
  T b;
  bool operator==(const Affine&) const = default;
};

template <typename T>
constexpr ElementType affine_type{
    sizeof(Affine<T>), [](void* out, const void* a, const void* b, std::size_t count) {
      const auto* first = static_cast<const Affine<T>*>(a);
      const auto* second = static_cast<const Affine<T>*>(b);
      for (std::size_t i = 0; i < count; ++i)
        static_cast<Affine<T>*>(out)[i] = {first[i].a * second[i].a,
                                           first[i].b * second[i].a + second[i].b};
    }};

template <typename T>
Affine<T> affine_of(std::uint32_t member, std::size_t i, std::size_t round) {
  return {static_cast<T>(2 * (member + i) + 3), static_cast<T>(7 * i + member + 5 * round + 1)};
}

template <typename T>
Affine<T> composed_of(std::uint32_t members, std::size_t i, std::size_t round) {
  Affine<T> result = affine_of<T>(0, i, round);
  for (std::uint32_t member = 1; member < members; ++member) {
    const Affine<T> next = affine_of<T>(member, i, round);
    affine_type<T>.combine(&result, &result, &next, 1);
  }
  return result;
}

template <typename T>
void check_reduce(Engine& engine, Team& team, std::span<Affine<T>> dest,
                  std::span<Affine<T>> source, std::size_t round) {
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = affine_of<T>(team.me, i, round);
  ASSERT_TRUE(engine.collectives().reduce(team, call, dest.data(), source.data(), source.size(),
                                          affine_type<T>));
  // The ring starts each part at another member.
  if (engine.options().algorithms.of(Collective::reduce) == Algorithm::ring) return;
  for (std::size_t i = 0; i < source.size(); ++i)
    ASSERT_EQ(dest[i], composed_of<T>(team.size, i, round)) << i << " of " << source.size();
}

RANK_TEST(the_world_has_two_levels_where_it_is_on_several_nodes, ranks(1)) {
  EXPECT_EQ(world.engine().teams().world().levels != nullptr,
            world.engine().memory().roster().nodes() > 1);
}

RANK_TEST(members_of_a_node_are_told_from_the_others, ranks(1)) {
  in_every_team(world, [&](const Team& team) {
    if (team.levels == nullptr) return;
    const Roster& roster = world.engine().memory().roster();
    const std::vector<std::uint32_t> nodes = nodes_of(world.engine().memory(), team);
    ASSERT_EQ(nodes.size(), team.size);
    for (std::uint32_t member = 0; member < team.size; ++member)
      EXPECT_EQ(nodes[member] == roster.node(), roster.is_here(team.rank_of(member)));
  });
}

RANK_TEST(nobody_leaves_a_sync_of_any_team_before_all_have_come, ranks(2)) {
  const auto arrived = world.allocate<long>();
  Engine& engine = world.engine();
  in_every_team(world, [&](Team& team) {
    // Different from the number of every other team.
    const long first =
        ((team.size * 100L) + static_cast<long>(team.first)) * 100 + team.stride * 10L;
    for (long turn = 1; turn <= 5; ++turn) {
      std::atomic_ref(*arrived.data()).store(first + turn);
      be_late(world);
      engine.collectives().sync(team, call);
      for (std::uint32_t member = 0; member < team.size; ++member) {
        long seen = 0;
        engine.rma().get(world.lane(), team.rank_of(member), &seen, arrived.data(), sizeof(seen));
        ASSERT_EQ(seen, first + turn);
      }
      engine.collectives().sync(team, call);
    }
  });
  world.barrier();
  world.free(arrived);
}

// The reductions follow one another without synchronization.
RANK_TEST(reductions_of_any_team_keep_the_order_of_its_members, ranks(2)) {
  constexpr std::size_t most = 3'000;
  const auto small_source = world.allocate<Affine<std::uint32_t>>(most);
  const auto small_dest = world.allocate<Affine<std::uint32_t>>(most);
  const auto source = world.allocate<Affine<std::uint64_t>>(most);
  const auto dest = world.allocate<Affine<std::uint64_t>>(most);
  in_every_team(world, [&](Team& team) {
    Engine& engine = world.engine();
    for (std::size_t round = 0; round < 6; ++round)
      check_reduce(engine, team, small_dest, small_source.first(1), round);
    for (const std::size_t count : {0UL, 1UL, 2UL, 1UL, 100UL, most}) {
      check_reduce(engine, team, dest, source.first(count), count);
      check_reduce(engine, team, source, source.first(count), count);  // in place
    }
  });
  world.barrier();
  for (const auto memory : {small_source, small_dest}) world.free(memory);
  for (const auto memory : {source, dest}) world.free(memory);
}

RANK_TEST(sums_of_floating_point_are_the_same_bits_on_all_and_every_time, ranks(2)) {
  constexpr std::size_t most = 500;
  const auto size = static_cast<std::size_t>(world.size());
  const auto source = world.allocate<double>(most);
  const auto dest = world.allocate<double>(most);
  const auto all = world.allocate<double>(most * size);
  constexpr ElementType sum = element_type<CombineOp::sum, double>;
  for (const std::size_t count : {1UL, 2UL, 100UL, most}) {
    std::vector<double> before;
    for (int time = 0; time < 4; ++time) {
      for (std::size_t i = 0; i < count; ++i)
        source[i] = 1.0 / (world.me() * 7.0 + static_cast<double>(i) + 3.1);
      ASSERT_TRUE(world.engine().collectives().reduce(world.engine().teams().world(), call,
                                                      dest.data(), source.data(), count, sum));
      world.barrier();
      world.engine().collectives().fcollect(world.engine().teams().world(), call, all.data(),
                                            dest.data(), count * sizeof(double));
      for (std::size_t member = 0; member < size; ++member)
        ASSERT_EQ(std::memcmp(&all[member * count], dest.data(), count * sizeof(double)), 0);
      if (time > 0) {
        EXPECT_TRUE(std::equal(before.begin(), before.end(), dest.begin()));
      }
      before.assign(dest.begin(), dest.begin() + static_cast<std::ptrdiff_t>(count));
      world.barrier();
    }
  }
  world.free(source);
  world.free(dest);
  world.free(all);
}

RANK_TEST(a_broadcast_from_any_member_of_any_team_reaches_all, ranks(2)) {
  constexpr std::size_t most = 20'000;
  const auto source = world.allocate<long>(most);
  const auto dest = world.allocate<long>(most + 1);
  in_every_team(world, [&](Team& team) {
    for (const std::size_t count : {1UL, 100UL, most}) {
      for (std::uint32_t root = 0; root < team.size; root += count == most ? 2 : 1) {
        std::fill_n(source.begin(), count, static_cast<long>(team.me * 1000UL + count));
        std::fill_n(dest.begin(), count + 1, -1);
        world.engine().collectives().sync(team, call);
        ASSERT_TRUE(world.engine().collectives().broadcast(team, call, dest.data(), source.data(),
                                                           count * sizeof(long), root));
        const auto expected = static_cast<long>(root * 1000UL + count);
        EXPECT_TRUE(std::ranges::all_of(dest.first(count), [&](long x) { return x == expected; }));
        EXPECT_EQ(dest[count], -1);
      }
    }
  });
  world.barrier();
  world.free(source);
  world.free(dest);
}

// The root may be many calls ahead. Its source changes as soon as a call returns. On one node it
// writes to dest at once.
RANK_TEST(broadcasts_follow_one_another_without_synchronization, ranks(2)) {
  constexpr std::size_t most = 8'192;
  constexpr long times = 50;
  const auto source = world.allocate<long>(most);
  const auto dest = world.allocate<long>(most);
  Team& team = world.engine().teams().world();
  if (team.levels == nullptr) GTEST_SKIP() << "one node";
  for (const std::uint32_t root : {0U, team.size - 1}) {
    for (const std::size_t count : {1UL, 20UL, 1'000UL, most}) {
      for (long time = 0; time < times; ++time) {
        if (team.me != root) be_late(world);
        std::fill_n(source.begin(), count, time);
        ASSERT_TRUE(world.engine().collectives().broadcast(team, call, dest.data(), source.data(),
                                                           count * sizeof(long), root));
        ASSERT_TRUE(std::ranges::all_of(dest.first(count), [&](long x) { return x == time; }));
      }
    }
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(an_fcollect_of_any_team_concatenates_the_blocks_of_all, ranks(2)) {
  constexpr std::size_t most = 5'000;
  const auto source = world.allocate<int>(most);
  const auto dest = world.allocate<int>(most * static_cast<std::size_t>(world.size()) + 1);
  in_every_team(world, [&](Team& team) {
    for (const std::size_t count : {0UL, 1UL, 700UL, most}) {
      std::iota(source.begin(), source.end(), static_cast<int>(team.me) * 100'000);
      std::ranges::fill(dest, -1);
      world.engine().collectives().sync(team, call);
      ASSERT_TRUE(world.engine().collectives().fcollect(team, call, dest.data(), source.data(),
                                                        count * sizeof(int)));
      for (std::size_t i = 0; i < count * team.size; ++i)
        ASSERT_EQ(dest[i], static_cast<int>(i / count * 100'000 + i % count));
      EXPECT_EQ(dest[count * team.size], -1);
      world.engine().collectives().sync(team, call);
    }
  });
  world.barrier();
  world.free(source);
  world.free(dest);
}

// All ranks draw the same numbers: the members of each team are random.
RANK_TEST(collectives_of_teams_that_overlap_may_follow_one_another, ranks(2)) {
  const auto source = world.allocate<Affine<std::uint64_t>>(300);
  const auto dest = world.allocate<Affine<std::uint64_t>>(300);
  Engine& engine = world.engine();
  const auto ranks = static_cast<std::uint32_t>(world.size());
  std::mt19937_64 same_for_all(world.seed() * 31 + 7);
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(same_for_all() % bound);
  };
  for (std::size_t round = 0; round < 150; ++round) {
    std::vector<std::uint32_t> numbers(ranks);
    std::iota(numbers.begin(), numbers.end(), 0);
    if (round % 2 == 1) std::ranges::shuffle(numbers, same_for_all);
    const std::uint32_t start = below(ranks);
    const std::uint32_t size = 1 + below(ranks - start);
    const Members members = Members::of(std::span(numbers).subspan(start, size));
    in_team(world, members, [&](Team& team) {
      for (std::size_t turn = 0; turn < 4; ++turn) {
        Team& who = (round + turn) % 3 == 0 && size == ranks ? engine.teams().world() : team;
        be_late(world);
        switch ((round * 7 + turn * turn) % 4) {
          case 0:
            engine.collectives().sync(who, call);
            break;
          case 1:
            check_reduce(engine, who, dest, source.first(1), round + turn);
            break;
          case 2:
            check_reduce(engine, who, dest, source.first(1 + round), round + turn);
            break;
          default:
            source[0] = {who.me, turn};
            engine.collectives().sync(who, call);
            engine.collectives().broadcast(who, call, dest.data(), source.data(), sizeof(source[0]),
                                           static_cast<std::uint32_t>(turn) % who.size);
            ASSERT_EQ(dest[0].a, turn % who.size);
            engine.collectives().sync(who, call);
        }
      }
    });
    same_for_all.seed(world.seed() * 31 + round);
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

// Each member must learn it, not only the one without memory. On one node a team needs none.
RANK_TEST(a_split_fails_on_all_members_if_one_has_no_memory_for_it, ranks(2)) {
  Engine& engine = world.engine();
  std::vector<MutableBytes> taken;
  if (world.me() == 0) {
    while (engine.segments().largest_free() > 0)
      taken.push_back(engine.segments().allocate(engine.segments().largest_free()).value());
  }
  world.barrier();
  const Members all{0, 1, engine.ranks()};
  const auto split = [&] { return engine.collectives().split(engine.teams().world(), call, all); };
  const bool needs_memory = engine.teams().world().levels != nullptr;
  std::vector<Team*> teams;  // the first may take the memory of teams of earlier tests
  Result<Team*> team = split();
  for (; needs_memory && team; team = split()) teams.push_back(*team);
  EXPECT_EQ(static_cast<bool>(team), !needs_memory);
  if (team)
    teams.push_back(*team);
  else
    EXPECT_NE(team.error().text.find("no memory left"), std::string::npos) << team.error().text;
  for (Team* each : teams) engine.collectives().destroy(*each, call);
  world.barrier();
  for (const MutableBytes range : taken) engine.segments().release(range);
  in_team(world, all, [](Team&) {});
}

}  // namespace
}  // namespace gondwana::test
