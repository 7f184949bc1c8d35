// Members that have seen a collective complete and then make no calls for a long time. The others
// complete it without them.
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "gasnet_coll.h"
#include "ranks/gasnet/world.hpp"

namespace gondwana::gasnet::test {
namespace {

constexpr int rounds = 30;

// The number of ranks that have seen the collective of each round complete. Ranks are threads.
std::array<std::atomic<gex_Rank_t>, rounds> completed;

// Waits without a call of the library.
bool all_complete(World& world, int round) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (completed.at(static_cast<std::size_t>(round)) < world.size()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

template <typename Collective>
void go_silent_after(World& world, Collective collective) {
  if (world.me() == 0)
    for (auto& each : completed) each = 0;
  world.barrier();
  for (int round = 0; round < rounds; ++round) {
    collective(round);
    ++completed.at(static_cast<std::size_t>(round));
    ASSERT_TRUE(all_complete(world, round)) << "round " << round;
  }
}

GASNET_TEST(members_may_go_silent_after_a_barrier, 2) {
  go_silent_after(world, [&](int round) {
    gex_Event_t event = gex_Coll_BarrierNB(world.team, 0);
    if (round % 2 == 0)
      gex_Event_Wait(event);
    else
      while (gex_Event_Test(event) != GASNET_OK) gasnet_AMPoll();
  });
}

GASNET_TEST(members_may_go_silent_after_a_barrier_with_ids, 2) {
  go_silent_after(world, [&](int round) {
    gasnet_barrier_notify(round, 0);
    if (round % 2 == 0)
      EXPECT_EQ(gasnet_barrier_wait(round, 0), GASNET_OK);
    else
      while (gasnet_barrier_try(round, 0) == GASNET_ERR_NOT_READY) {
      }
  });
}

GASNET_TEST(members_may_go_silent_after_a_broadcast, 2) {
  std::array<std::int64_t, 4> values{};
  go_silent_after(world, [&](int round) {
    const auto root = static_cast<gex_Rank_t>(round) % world.size();
    if (world.me() == root) values.fill(round);
    gex_Event_Wait(
        gex_Coll_BroadcastNB(world.team, root, values.data(), values.data(), sizeof(values), 0));
    EXPECT_EQ(values.back(), round);
  });
}

GASNET_TEST(members_may_go_silent_after_a_reduction, 2) {
  go_silent_after(world, [&](int round) {
    const std::int64_t mine = round + static_cast<std::int64_t>(world.me());
    std::int64_t largest = 0;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(world.team, &largest, &mine, GEX_DT_I64, sizeof(mine), 1,
                                          GEX_OP_MAX, nullptr, nullptr, 0));
    EXPECT_EQ(largest, round + static_cast<std::int64_t>(world.size()) - 1);
  });
}

}  // namespace
}  // namespace gondwana::gasnet::test
