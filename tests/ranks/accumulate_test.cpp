// Accumulates from all ranks to all ranks, on a node and over a wire.
#include <array>
#include <chrono>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

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
  const StridedRun run{.size = to.size,
                       .count = to.count,
                       .there = offset,
                       .there_stride = to.step,
                       .here = const_cast<std::byte*>(from),
                       .here_stride = size};
  Lane& lane = engine.default_lane();
  ASSERT_TRUE(engine.remote().begin_accumulate(lane, rank, what, std::span(&run, 1),
                                               lane.posted().pending()) ==
              RemoteAccess::Begun::pending);
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

// Elements of several types, places and sizes share bytes on both sides of an edge between stripes.
struct AtEdge {
  AccumulateType type;
  std::ptrdiff_t begin;  // from the edge
  std::size_t numbers;   // components
};

template <typename T>
void accumulate_at_edge(World& world, std::byte* edge, std::span<const AtEdge> kinds) {
  constexpr std::size_t rounds = 500;
  constexpr std::ptrdiff_t most = 64;  // bytes before the edge
  const std::array<T, 8> ones{1, 1, 1, 1, 1, 1, 1, 1};
  for (std::size_t i = 0; i < rounds * kinds.size(); ++i) {
    const AtEdge& kind = kinds[(i + static_cast<std::size_t>(world.me())) % kinds.size()];
    const std::array<T, 2> scale{1, 0};
    accumulate(world, Accumulation(kind.type, scale.data()), 0,
               {edge + kind.begin, kind.numbers * sizeof(T), 1, 0},
               reinterpret_cast<const std::byte*>(ones.data()));
  }
  world.barrier();
  for (std::ptrdiff_t at = -most + kinds[0].begin; world.me() == 0 && at < most;
       at += std::ptrdiff_t{sizeof(T)}) {
    std::size_t times = 0;
    for (const AtEdge& kind : kinds) {
      const auto end = kind.begin + static_cast<std::ptrdiff_t>(kind.numbers * sizeof(T));
      if (at >= kind.begin && at < end) ++times;
    }
    T sum;
    std::memcpy(&sum, edge + at, sizeof(T));
    ASSERT_EQ(sum, static_cast<T>(times * rounds * static_cast<std::size_t>(world.size()))) << at;
  }
}

RANK_TEST(accumulates_of_all_types_at_an_edge_of_stripes_lose_nothing, ranks(2)) {
  constexpr std::size_t stripe = AccumulateLocks::stripe;
  const auto area = world.allocate<std::byte>(4 * stripe);
  const std::size_t begin = world.engine().symmetric().ranges().offset_of(area.data(), area.size());
  std::byte* edge = area.data() + (round_up(begin + stripe / 2, stripe) - begin);
  using enum AccumulateType;
  const std::array doubles{AtEdge{complex128, -8, 2}, AtEdge{float64, 0, 1},
                           AtEdge{float64, -16, 4}, AtEdge{complex128, -24, 4},
                           AtEdge{complex128, 0, 2}};
  const std::array floats{AtEdge{complex64, -4, 2}, AtEdge{float32, 0, 1}, AtEdge{float32, -8, 4},
                          AtEdge{complex64, -12, 4}};
  const std::array longs{AtEdge{int64, -4, 1}, AtEdge{int64, -12, 3}, AtEdge{int64, 4, 2}};
  accumulate_at_edge<double>(world, edge, doubles);
  accumulate_at_edge<float>(world, edge + stripe, floats);
  accumulate_at_edge<long>(world, edge + 2 * stripe, longs);
  world.barrier();
  world.free(area);
}

// The holder does not ring the bell. A rank that has fallen asleep polls again.
RANK_TEST(an_accumulate_waits_for_a_lock_that_is_held_for_long, ranks(2)) {
  const auto sum = world.allocate<long>();
  const std::size_t offset =
      world.engine().symmetric().ranges().offset_of(sum.data(), sizeof(long));
  const bool is_near = world.engine().rma().reach().covers(Rank(0));
  if (world.me() == 1 && is_near) {
    HeldStripes held(world.engine().memory().page(Rank(0)).accumulate_locks);
    while (!held.try_move_to(offset, sizeof(long))) std::this_thread::yield();
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
