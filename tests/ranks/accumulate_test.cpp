// Accumulates from all ranks to all ranks, on a node and over a wire.
#include <chrono>
#include <thread>
#include <vector>

#include "engine/rma/far_pieces.hpp"
#include "engine/rma/near_accumulate.hpp"
#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// Pieces of a symmetric array, which lie at equal steps here too.
struct Pieces {
  std::byte* first;
  std::size_t size;
  std::size_t count;
  std::ptrdiff_t step;
};

void accumulate(World& world, const Accumulation& what, int pe, const Pieces& to,
                const std::byte* from) {
  Engine& engine = world.engine();
  const Rank rank{static_cast<std::uint32_t>(pe)};
  const std::size_t offset = engine.symmetric().ranges().offset_of(to.first, to.size);
  const auto size = static_cast<std::ptrdiff_t>(to.size);
  if (engine.rma().reach().covers(rank)) {
    NearAccumulate near(engine.memory(), engine.waiter(), "accumulate", rank, what);
    std::byte* there = engine.memory().window(rank) + offset;
    for (std::size_t i = 0; i < to.count; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      near.add(there + at * to.step, from + at * size, to.size);
    }
    return;
  }
  FarPieces far(engine.remote(), engine.default_lane(), rank, what);
  far.move({.size = to.size,
            .count = to.count,
            .there = offset,
            .there_step = to.step,
            .here = const_cast<std::byte*>(from),
            .here_step = size});
  ASSERT_TRUE(far.finish("accumulate").has_value());
}

// Some pieces are longer than a message, and many lie across stripes.
RANK_TEST(accumulates_of_all_ranks_lose_nothing, ranks(1)) {
  constexpr std::size_t count = 20'000;
  const auto sums = world.allocate<double>(count);
  std::vector<double> terms(count);
  for (std::size_t i = 0; i < count; ++i) terms[i] = static_cast<double>(i % 1000);
  const double scale = world.me() + 1;
  const Accumulation what(AccumulateType::float64, &scale);
  const auto* from = reinterpret_cast<const std::byte*>(terms.data());
  auto* to = reinterpret_cast<std::byte*>(sums.data());
  for (int pe = 0; pe < world.size(); ++pe) {
    accumulate(world, what, pe, {to, count * sizeof(double), 1, 0}, from);
    accumulate(world, what, pe, {to, 3 * sizeof(double), 1000, 5 * sizeof(double)}, from);
  }
  world.barrier();
  const int n = world.size();
  const double scales = n * (n + 1) / 2.0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_twice = i < 5000 && i % 5 < 3;
    const double more = is_twice ? terms[i / 5 * 3 + i % 5] : 0;
    ASSERT_EQ(sums[i], scales * (terms[i] + more)) << i;
  }
  world.barrier();
  world.free(sums);
}

// The holder rings no bell. A rank that has begun to sleep looks again.
RANK_TEST(an_accumulate_waits_for_a_lock_that_is_held_for_long, ranks(2)) {
  const auto sum = world.allocate<long>();
  const std::size_t offset =
      world.engine().symmetric().ranges().offset_of(sum.data(), sizeof(long));
  const bool is_near = world.engine().rma().reach().covers(Rank(0));
  if (world.me() == 1 && is_near) {
    HeldStripe held(world.engine().memory().page(Rank(0)).accumulate_locks);
    while (!held.try_move_to(offset)) std::this_thread::yield();
    world.barrier();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  } else {
    world.barrier();
  }
  const long one = 1;
  const auto* from = reinterpret_cast<const std::byte*>(&one);
  accumulate(world, Accumulation::unscaled(AccumulateType::int64), 0,
             {reinterpret_cast<std::byte*>(sum.data()), sizeof one, 1, 0}, from);
  world.barrier();
  EXPECT_EQ(sum[0], world.me() == 0 ? world.size() : 0);
  world.barrier();
  world.free(sum);
}

}  // namespace
}  // namespace gondwana::test
