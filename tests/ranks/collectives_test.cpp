#include <algorithm>
#include <vector>

#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

RANK_TEST(nobody_leaves_a_barrier_before_all_have_come, ranks(1)) {
  const auto arrived = world.allocate<long>();
  for (long round = 1; round <= 200; ++round) {
    atomic<AtomicOp::add>(world.as("inc"), arrived.data(), 1L, 0);
    world.barrier();
    EXPECT_EQ(g(world.as("g"), arrived.data(), 0), round * long{world.size()});
    world.barrier();
  }
  world.free(arrived);
}

RANK_TEST(barrier_completes_puts_at_their_targets, ranks(2)) {
  const auto cells = world.allocate<int>(static_cast<std::size_t>(world.size()));
  for (int round = 1; round <= 50; ++round) {
    for (int pe = 0; pe < world.size(); ++pe) p(world.as("p"), &cells[world.me()], round, pe);
    world.barrier();
    EXPECT_TRUE(std::ranges::all_of(cells, [&](int value) { return value == round; }));
    world.barrier();
  }
  world.free(cells);
}

// No synchronization between two calls; each call has its own dest.
RANK_TEST(collectives_of_all_kinds_may_follow_one_another, ranks(1)) {
  constexpr std::size_t count = 600;
  constexpr std::size_t calls = 300;
  const auto size = static_cast<std::size_t>(world.size());
  const auto source = world.allocate<long>(count * size);
  const auto dest = world.allocate<long>(calls * count * size);
  const long me = world.me();
  for (std::size_t i = 0; i < calls; ++i) {
    const auto call = static_cast<long>(i);
    const int root = static_cast<int>(i) % world.size();
    const auto here = dest.subspan(i * count * size, count * size);
    std::ranges::fill(source, me + call);
    switch (i % 7) {
      case 0:
        broadcast<8>(world.as("broadcast"), SHMEM_TEAM_WORLD, here.data(), source.data(), count,
                     root);
        ASSERT_EQ(here[count - 1], root + call);
        break;
      case 1:
        reduce<CombineOp::max>(world.as("max"), SHMEM_TEAM_WORLD, here.data(), source.data(),
                               count);
        ASSERT_EQ(here[count - 1], world.size() - 1 + call);
        break;
      case 2:
        reduce<CombineOp::min>(world.as("min"), SHMEM_TEAM_WORLD, here.data(), source.data(), 1);
        ASSERT_EQ(here[0], call);
        break;
      case 3:
        fcollect<8>(world.as("fcollect"), SHMEM_TEAM_WORLD, here.data(), source.data(), count);
        ASSERT_EQ(here[count * size - 1], world.size() - 1 + call);
        break;
      case 4:
        sum_exscan(world.as("exscan"), SHMEM_TEAM_WORLD, here.data(), source.data(), 2);
        ASSERT_EQ(here[1], me * call + me * (me - 1) / 2);
        break;
      case 5:
        collect<8>(world.as("collect"), SHMEM_TEAM_WORLD, here.data(), source.data(),
                   static_cast<std::size_t>(me));
        ASSERT_TRUE(size == 1 || here[size * (size - 1) / 2 - 1] == world.size() - 1 + call);
        break;
      default:
        broadcast<8>(world.as("broadcast"), SHMEM_TEAM_WORLD, here.data(), source.data(),
                     count * size, root);
        ASSERT_EQ(here[count * size - 1], root + call);
    }
    if (i % 11 == 0) team_sync(world.as("sync"), SHMEM_TEAM_WORLD);
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

}  // namespace
}  // namespace gondwana::test
