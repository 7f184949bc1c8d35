#include <algorithm>
#include <vector>

#include "support/teams.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

template <typename T>
T term(int rank, std::size_t i) {
  return element<T>(static_cast<std::size_t>(rank) * 31 + i * 7 + 1);
}

// Fills `source`, calls, and compares with the contributions of the members in order. `count_of`
// gives the size of each contribution.
template <typename T, typename CountOf, typename Call>
void gathers(World& world, const Members& members, std::span<T> dest, std::span<T> source,
             const CountOf& count_of, const Call& call) {
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = term<T>(world.me(), i);
  std::ranges::fill(dest, T{});
  team_sync(world.as("sync"), members.team);  // every dest is ready
  ASSERT_EQ(call(members.team, dest.data(), source.data(), count_of(members.me)), 0);
  std::size_t at = 0;
  for (int member = 0; member < members.size(); ++member) {
    const int rank = members.ranks[static_cast<std::size_t>(member)];
    for (std::size_t i = 0; i < count_of(member); ++i, ++at)
      ASSERT_EQ(dest[at], term<T>(rank, i)) << "element " << i << " of member " << member;
  }
  ASSERT_EQ(dest[at], T{}) << "behind the last";
  team_sync(world.as("sync"), members.team);
}

template <typename T>
void fcollects_every_size(World& world) {
  constexpr std::size_t most = 10'001;
  const auto source = world.allocate<T>(most);
  const auto dest = world.allocate<T>(most * static_cast<std::size_t>(world.size()) + 1);
  on_all_teams(world, [&](const Members& members) {
    for (const std::size_t count : {0UL, 1UL, 3UL, 1'000UL, most})
      gathers(
          world, members, dest, source, [&](int) { return count; },
          [&](shmem_team_t team, T* to, const T* from, std::size_t elements) {
            return fcollect<sizeof(T)>(world.as("fcollect"), team, to, from, elements);
          });
  });
  world.free(source);
  world.free(dest);
}

RANK_TEST(fcollect_puts_the_arrays_of_all_members_in_their_order, ranks(1)) {
  fcollects_every_size<int>(world);
}
RANK_TEST(fcollect_of_bytes, ranks(1)) {
  fcollects_every_size<unsigned char>(world);
}

RANK_TEST(collect_puts_arrays_of_different_sizes_in_the_order_of_members, ranks(1)) {
  constexpr std::size_t most = 10'001;
  const auto source = world.allocate<short>(most);
  const auto dest = world.allocate<short>(most * static_cast<std::size_t>(world.size()) + 1);
  const auto collects = [&](const Members& members, const auto& count_of) {
    gathers(world, members, dest, source, count_of,
            [&](shmem_team_t team, short* to, const short* from, std::size_t count) {
              // A member that gives nothing may pass no source.
              return collect<2>(world.as("collect"), team, to, count == 0 ? nullptr : from, count);
            });
  };
  on_all_teams(world, [&](const Members& members) {
    const auto number = [](int member) { return static_cast<std::size_t>(member); };
    collects(members, [](int) { return 0UL; });
    collects(members, number);
    collects(members, [&](int member) { return most - number(member) * 1'111; });
    collects(members, [&](int member) { return member == 0 ? most : 0; });
    collects(members, [&](int member) { return member == members.size() - 1 ? most : 0; });
  });
  world.free(source);
  world.free(dest);
}

// No synchronization between two calls; each call has its own dest.
RANK_TEST(gathers_of_both_kinds_may_follow_one_another, ranks(1)) {
  constexpr std::size_t rounds = 60;
  const auto size = static_cast<std::size_t>(world.size());
  const auto me = static_cast<std::size_t>(world.me());
  const auto source = world.allocate<long>(size);
  const auto dest = world.allocate<long>(rounds * size * size);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::ranges::fill(source, static_cast<long>(round * 100 + me));
    const auto here = dest.subspan(round * size * size, size * size);
    if (round % 3 == 0) {
      fcollect<8>(world.as("fcollect"), SHMEM_TEAM_WORLD, here.data(), source.data(), 1);
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(here[i], static_cast<long>(round * 100 + i));
    } else {
      collect<8>(world.as("collect"), SHMEM_TEAM_WORLD, here.data(), source.data(), me + 1);
      std::size_t at = 0;
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          ASSERT_EQ(here[at++], static_cast<long>(round * 100 + i));
    }
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(a_gather_beyond_symmetric_memory_is_refused, ranks(1)) {
  const auto cell = world.allocate<long>(static_cast<std::size_t>(world.size()));
  long own[1] = {};
  EXPECT_THROW(fcollect<8>(world.as("fcollect"), SHMEM_TEAM_WORLD, own, cell.data(), 1), GaveUp);
  EXPECT_THROW(collect<8>(world.as("collect"), SHMEM_TEAM_WORLD, own, cell.data(), 1), GaveUp);
  EXPECT_THROW(fcollect<8>(world.as("fcollect"), SHMEM_TEAM_WORLD, cell.data(), cell.data(),
                           ~std::size_t{0} / 4),
               GaveUp);
  world.barrier();
  world.free(cell);
}

}  // namespace
}  // namespace gondwana::test
