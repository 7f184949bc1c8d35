#include <algorithm>
#include <complex>
#include <vector>

#include "support/teams.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// Element i of the block that rank `from` has for rank `to`.
template <typename T>
T term(int from, int to, std::size_t i) {
  return element<T>(static_cast<std::size_t>(from * 17 + to * 5) + i * 3 + 1);
}

struct Shape {
  std::size_t count;
  std::ptrdiff_t dst;
  std::ptrdiff_t sst;
};

std::size_t at(std::ptrdiff_t stride, std::size_t element) {
  return static_cast<std::size_t>(stride) * element;
}

template <typename T>
void exchanges(World& world, const Members& members, std::span<T> dest, std::span<T> source,
               const Shape& shape) {
  const auto [count, dst, sst] = shape;
  const auto size = static_cast<std::size_t>(members.size());
  std::ranges::fill(source, T{});
  std::ranges::fill(dest, T{});
  for (std::size_t member = 0; member < size; ++member)
    for (std::size_t i = 0; i < count; ++i)
      source[at(sst, member * count + i)] = term<T>(world.me(), members.ranks[member], i);
  team_sync(world.as("sync"), members.team);  // every dest is ready
  const Caller caller = world.as("alltoall");
  const int status =
      dst == 1 && sst == 1
          ? alltoall<sizeof(T)>(caller, members.team, dest.data(), source.data(), count)
          : alltoalls<sizeof(T)>(caller, members.team, dest.data(), source.data(), dst, sst, count);
  ASSERT_EQ(status, 0);
  for (std::size_t member = 0; member < size; ++member)
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(dest[at(dst, member * count + i)], term<T>(members.ranks[member], world.me(), i))
          << "element " << i << " of member " << member;
  const auto written = static_cast<long>(size * count);
  const auto is_empty = [](const T& value) { return value == T{}; };
  ASSERT_EQ(static_cast<long>(dest.size()) - std::ranges::count_if(dest, is_empty), written);
  team_sync(world.as("sync"), members.team);
}

template <typename T>
void exchanges_every_shape(World& world, std::size_t most) {
  const auto room = most * static_cast<std::size_t>(world.size()) + 1;
  const auto source = world.allocate<T>(room);
  const auto dest = world.allocate<T>(room);
  on_all_teams(world, [&](const Members& members) {
    for (const Shape& shape : {Shape{0, 1, 1},
                               {1, 1, 1},
                               {7, 1, 1},
                               {most, 1, 1},
                               {0, 2, 3},
                               {1, 3, 1},
                               {5, 1, 2},
                               {most / 3, 2, 3}})
      exchanges<T>(world, members, dest, source, shape);
  });
  world.free(source);
  world.free(dest);
}

RANK_TEST(alltoall_gives_each_member_the_blocks_that_are_for_it, ranks(1)) {
  exchanges_every_shape<long>(world, 9'000);
}
RANK_TEST(alltoall_of_elements_of_four_bytes, ranks(1)) {
  exchanges_every_shape<float>(world, 1'000);
}
RANK_TEST(alltoall_of_elements_of_two_bytes, ranks(1)) {
  exchanges_every_shape<unsigned short>(world, 1'000);
}
RANK_TEST(alltoall_of_bytes, ranks(1)) {
  exchanges_every_shape<unsigned char>(world, 30);  // few enough that none is 0 by wrapping
}
RANK_TEST(alltoall_of_elements_of_sixteen_bytes, ranks(1)) {
  exchanges_every_shape<std::complex<double>>(world, 1'000);
}

// No synchronization between two calls; each call has its own dest.
RANK_TEST(exchanges_may_follow_one_another, ranks(1)) {
  constexpr std::size_t rounds = 60;
  const auto size = static_cast<std::size_t>(world.size());
  const auto source = world.allocate<int>(size);
  const auto dest = world.allocate<int>(rounds * size);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::ranges::fill(source, static_cast<int>(round) * 10 + world.me());
    const auto here = dest.subspan(round * size, size);
    alltoall<4>(world.as("alltoall"), SHMEM_TEAM_WORLD, here.data(), source.data(), 1);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(here[i], static_cast<int>(round * 10 + i));
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(strides_below_one_are_refused, ranks(1)) {
  const auto cells = world.allocate<long>(static_cast<std::size_t>(world.size()));
  const Caller caller = world.as("alltoalls");
  EXPECT_THROW(alltoalls<8>(caller, SHMEM_TEAM_WORLD, cells.data(), cells.data(), 0, 1, 1), GaveUp);
  EXPECT_THROW(alltoalls<8>(caller, SHMEM_TEAM_WORLD, cells.data(), cells.data(), 1, -1, 1),
               GaveUp);
  EXPECT_THROW(alltoall<8>(caller, SHMEM_TEAM_INVALID, cells.data(), cells.data(), 1), GaveUp);
  EXPECT_THROW(
      alltoall<8>(caller, SHMEM_TEAM_WORLD, cells.data(), cells.data(), ~std::size_t{0} / 4),
      GaveUp);
  world.barrier();
  world.free(cells);
}

}  // namespace
}  // namespace gondwana::test
