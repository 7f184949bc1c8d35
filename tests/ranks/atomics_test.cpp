#include <vector>

#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

template <typename T>
void adds_of_all_ranks_are_counted(World& world) {
  constexpr int each = 300;
  const auto cell = world.allocate<T>();
  for (int i = 0; i < each; ++i)
    atomic<AtomicOp::add>(world.as("fetch_add"), cell.data(), static_cast<T>(1), 0);
  world.barrier();
  EXPECT_EQ(atomic_fetch(world.as("fetch"), cell.data(), 0), static_cast<T>(each * world.size()));
  world.barrier();
  world.free(cell);
}

RANK_TEST(contended_adds_lose_nothing, ranks(1)) {
  adds_of_all_ranks_are_counted<int>(world);
  adds_of_all_ranks_are_counted<long>(world);
  adds_of_all_ranks_are_counted<unsigned>(world);
  adds_of_all_ranks_are_counted<std::uint64_t>(world);
}

RANK_TEST(fetch_add_gives_every_ticket_once, ranks(1)) {
  constexpr std::size_t each = 100;
  const auto next = world.allocate<long>();
  const auto taken = world.allocate<int>(each * static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i < each; ++i) {
    const long ticket = atomic<AtomicOp::add>(world.as("fetch_inc"), next.data(), 1L, 0);
    atomic<AtomicOp::add>(world.as("inc"), taken.data() + ticket, 1, 0);
  }
  world.barrier();
  for (const int times : taken) EXPECT_EQ(times, world.me() == 0 ? 1 : 0);
  world.barrier();
  world.free(next);
  world.free(taken);
}

RANK_TEST(every_operation_returns_the_old_value, ranks(1)) {
  const auto cell = world.allocate<std::uint32_t>();
  const int pe = world.right();
  const Caller caller = world.as("atomic");
  atomic_set(caller, cell.data(), 12U, pe);
  EXPECT_EQ(atomic<AtomicOp::add>(caller, cell.data(), 3U, pe), 12U);
  EXPECT_EQ(atomic<AtomicOp::bit_and>(caller, cell.data(), 7U, pe), 15U);
  EXPECT_EQ(atomic<AtomicOp::bit_or>(caller, cell.data(), 8U, pe), 7U);
  EXPECT_EQ(atomic<AtomicOp::bit_xor>(caller, cell.data(), 1U, pe), 15U);
  EXPECT_EQ(atomic<AtomicOp::swap>(caller, cell.data(), 100U, pe), 14U);
  EXPECT_EQ(atomic_compare_swap(caller, cell.data(), 99U, 1U, pe), 100U);
  EXPECT_EQ(atomic_compare_swap(caller, cell.data(), 100U, 1U, pe), 100U);
  EXPECT_EQ(atomic_fetch(caller, cell.data(), pe), 1U);
  world.barrier();
  world.free(cell);
}

RANK_TEST(floating_point_values_can_be_set_swapped_and_fetched, ranks(1)) {
  const auto cell = world.allocate<double>();
  const Caller caller = world.as("atomic");
  atomic_set(caller, cell.data(), 0.5, world.right());
  EXPECT_EQ(atomic<AtomicOp::swap>(caller, cell.data(), -2.25, world.right()), 0.5);
  EXPECT_EQ(atomic_fetch(caller, cell.data(), world.right()), -2.25);
  world.barrier();
  world.free(cell);
}

RANK_TEST(one_rank_wins_each_compare_swap, ranks(2)) {
  const auto cell = world.allocate<long>();
  const auto wins = world.allocate<long>();
  for (long round = 0; round < 100; ++round) {
    if (atomic_compare_swap(world.as("cas"), cell.data(), round, round + 1, 0) == round)
      atomic<AtomicOp::add>(world.as("add"), wins.data(), 1L, 0);
    world.barrier();
  }
  EXPECT_EQ(g(world.as("g"), wins.data(), 0), 100);
  world.barrier();
  world.free(cell);
  world.free(wins);
}

// The table serves operations given as numbers; it must agree with the templates.
TEST(AtomicTable, agrees_with_the_templates) {
  std::uint32_t cell = 12;
  AtomicRequest request{AtomicOp::bit_xor, AtomicType::uint32, 10, 0};
  EXPECT_EQ(find_executor(request.op, request.type)(&cell, request), 12U);
  EXPECT_EQ(cell, 6U);
  request = {AtomicOp::compare_swap, AtomicType::uint32, 1, 6};
  EXPECT_EQ(find_executor(request.op, request.type)(&cell, request), 6U);
  EXPECT_EQ(cell, 1U);
}

TEST(AtomicTable, has_no_bitwise_operation_on_floating_point) {
  EXPECT_EQ(find_executor(AtomicOp::bit_and, AtomicType::float64), nullptr);
  EXPECT_NE(find_executor(AtomicOp::add, AtomicType::float64), nullptr);
}

}  // namespace
}  // namespace gondwana::test
