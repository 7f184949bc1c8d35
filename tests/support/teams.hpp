// The teams for tests of collectives: all ranks, some, in falling order, rows and columns.
#pragma once

#include <vector>

#include "support/rank_test.hpp"

namespace gondwana::test {

// A team that this rank is in, and the ranks of its members.
struct Members {
  shmem_team_t team;
  int me;
  std::vector<int> ranks;

  int size() const { return static_cast<int>(ranks.size()); }
};

inline Members members_of(World& world, shmem_team_t team) {
  Members members{team, shmem::team_my_pe(world.as("team_my_pe"), team), {}};
  const int size = shmem::team_n_pes(world.as("team_n_pes"), team);
  for (int member = 0; member < size; ++member)
    members.ranks.push_back(
        shmem::team_translate_pe(world.as("translate"), team, member, SHMEM_TEAM_WORLD));
  return members;
}

// A value as an array element: T is arithmetic or complex.
template <typename T>
T element(std::size_t value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(value);
  else
    return T(static_cast<typename T::value_type>(value));
}

// Collective over the world: a split of it. Returns this rank's team.
inline shmem_team_t split(World& world, int start, int stride, int size) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  EXPECT_EQ(shmem::team_split_strided(world.as("split"), SHMEM_TEAM_WORLD, start, stride, size,
                                      nullptr, 0, &team),
            0);
  return team;
}

// Calls `test` on every team of each kind that has this rank. All ranks meet between two kinds.
template <typename Test>
void on_all_teams(World& world, const Test& test) {
  const int size = world.size();
  std::vector<std::vector<shmem_team_t>> kinds{{SHMEM_TEAM_WORLD}, {SHMEM_TEAM_SHARED}};
  kinds.push_back({split(world, size - 1, -1, size)});
  kinds.push_back({split(world, 0, 2, (size + 1) / 2)});
  if (size > 1) kinds.back().push_back(split(world, 1, 2, size / 2));
  shmem_team_t row = SHMEM_TEAM_INVALID;
  shmem_team_t column = SHMEM_TEAM_INVALID;
  EXPECT_EQ(shmem::team_split_2d(world.as("split"), SHMEM_TEAM_WORLD, 2, nullptr, 0, &row, nullptr,
                                 0, &column),
            0);
  kinds.push_back({row});
  kinds.push_back({column});
  for (const auto& kind : kinds) {
    for (shmem_team_t team : kind)
      if (team != SHMEM_TEAM_INVALID) test(members_of(world, team));
    world.barrier();
  }
  for (std::size_t kind = 2; kind < kinds.size(); ++kind)
    for (shmem_team_t team : kinds[kind]) shmem::team_destroy(world.as("destroy"), team);
}

}  // namespace gondwana::test
