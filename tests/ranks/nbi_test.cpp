// Nonblocking puts, gets and atomics: quiet completes them, whatever happens before.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "support/rank_test.hpp"
#include "support/ways.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

template <std::size_t Width>
void bytes_of_every_count_arrive(World& world, const Way& way, std::span<std::byte> block) {
  for (const std::size_t count : {0UL, 1UL, 2UL, 3UL, 130UL, block.size() / Width}) {
    std::vector<std::byte> source(count * Width);
    std::ranges::generate(source, [&] { return static_cast<std::byte>(world.random()()); });
    put_nbi<Width>(way.as("put_nbi"), block.data(), source.data(), count, way.right());
    quiet(way.as("quiet"));
    std::vector<std::byte> back(count * Width);
    get_nbi<Width>(way.as("get_nbi"), back.data(), block.data(), count, way.right());
    quiet(way.as("quiet"));
    EXPECT_EQ(back, source) << count << " of " << Width << " bytes";
    world.barrier();
  }
}

RANK_TEST(nonblocking_puts_and_gets_carry_elements_of_every_width, ranks(1)) {
  const auto block = world.allocate<std::byte>(50'000);
  in_every_way(world, [&](const Way& way) {
    bytes_of_every_count_arrive<1>(world, way, block);
    bytes_of_every_count_arrive<2>(world, way, block);
    bytes_of_every_count_arrive<4>(world, way, block);
    bytes_of_every_count_arrive<8>(world, way, block);
    bytes_of_every_count_arrive<16>(world, way, block);
  });
  world.free(block);
}

// Many in flight, more than any queue of a wire holds, each from its own source.
RANK_TEST(a_quiet_completes_all_puts_before_it, ranks(1)) {
  constexpr std::size_t blocks = 300;
  constexpr std::size_t length = 17;
  const auto all = world.allocate<int>(blocks * length);
  std::vector<int> source(blocks * length);
  std::iota(source.begin(), source.end(), world.me());
  for (std::size_t at = 0; at < source.size(); at += length)
    put_nbi<4>(world.as("put_nbi"), &all[at], &source[at], length, world.right());
  quiet(world.as("quiet"));
  std::ranges::fill(source, -1);
  world.barrier();
  std::vector<int> expected(blocks * length);
  std::iota(expected.begin(), expected.end(), world.left());
  EXPECT_TRUE(std::ranges::equal(all, expected));
  world.barrier();
  world.free(all);
}

RANK_TEST(a_barrier_completes_nonblocking_puts_of_the_default_context, ranks(2)) {
  const auto cells = world.allocate<long>(5'000);
  const std::vector<long> source(5'000, world.me() + 1);
  put_nbi<8>(world.as("put_nbi"), cells.data(), source.data(), source.size(), world.right());
  world.barrier();
  EXPECT_TRUE(std::ranges::all_of(cells, [&](long value) { return value == world.left() + 1; }));
  world.barrier();
  world.free(cells);
}

RANK_TEST(a_fence_orders_nonblocking_puts, ranks(2)) {
  const auto data = world.allocate<long>(700);
  const auto flags = world.allocate<long>(2);
  std::vector<long> source(700);
  for (long round = 1; round <= 50; ++round) {
    std::ranges::fill(source, round);
    put_nbi<8>(world.as("put_nbi"), data.data(), source.data(), source.size(), world.right());
    fence(world.as("fence"));
    put_nbi<8>(world.as("put_nbi"), &flags[0], &source[0], 1, world.right());
    wait_until(world.as("wait"), &flags[0], SHMEM_CMP_GE, round);
    ASSERT_TRUE(std::ranges::all_of(data, [&](long value) { return value == round; })) << round;
    quiet(world.as("quiet"));
    p(world.as("p"), &flags[1], round, world.left());
    wait_until(world.as("wait"), &flags[1], SHMEM_CMP_GE, round);
  }
  world.barrier();
  world.free(data);
  world.free(flags);
}

RANK_TEST(nonblocking_atomics_fetch_what_was_there, ranks(1)) {
  const auto cell = world.allocate<std::uint32_t>();
  in_every_way(world, [&](const Way& way) {
    const Caller caller = way.as("atomic_nbi");
    std::array<std::uint32_t, 8> old{};
    const int pe = way.right();
    atomic_set(caller, cell.data(), 12U, pe);
    quiet(caller);
    atomic_nbi<AtomicOp::add>(caller, &old[0], cell.data(), 3U, pe);
    quiet(caller);
    atomic_nbi<AtomicOp::bit_and>(caller, &old[1], cell.data(), 7U, pe);
    quiet(caller);
    atomic_nbi<AtomicOp::bit_or>(caller, &old[2], cell.data(), 8U, pe);
    quiet(caller);
    atomic_nbi<AtomicOp::bit_xor>(caller, &old[3], cell.data(), 1U, pe);
    quiet(caller);
    atomic_nbi<AtomicOp::swap>(caller, &old[4], cell.data(), 100U, pe);
    quiet(caller);
    atomic_compare_swap_nbi(caller, &old[5], cell.data(), 99U, 1U, pe);
    quiet(caller);
    atomic_compare_swap_nbi(caller, &old[6], cell.data(), 100U, 1U, pe);
    quiet(caller);
    atomic_fetch_nbi(caller, &old[7], cell.data(), pe);
    quiet(caller);
    EXPECT_EQ(old, (std::array<std::uint32_t, 8>{12, 15, 7, 15, 14, 100, 100, 1}));
    world.barrier();
  });
  world.free(cell);
}

RANK_TEST(contended_nonblocking_adds_lose_nothing, ranks(1)) {
  constexpr int each = 200;
  const auto cell = world.allocate<double>();
  const auto sum = world.allocate<long>();
  long old = 0;
  for (int i = 0; i < each; ++i)
    atomic_nbi<AtomicOp::add>(world.as("fetch_inc_nbi"), &old, sum.data(), 1L, 0);
  double swapped = 1;
  atomic_nbi<AtomicOp::swap>(world.as("swap_nbi"), &swapped, cell.data(), 2.5, world.right());
  world.barrier();
  EXPECT_EQ(atomic_fetch(world.as("fetch"), sum.data(), 0), long{each} * world.size());
  EXPECT_EQ(swapped, 0.0);
  EXPECT_EQ(cell[0], 2.5);
  world.barrier();
  world.free(cell);
  world.free(sum);
}

RANK_TEST(a_nonblocking_call_with_wrong_arguments_is_refused, ranks(1)) {
  const auto cells = world.allocate<long>(4);
  std::vector<long> here(4);
  EXPECT_TRUE(says("not symmetric", [&] {
    put_nbi<8>(world.as("put_nbi"), here.data(), cells.data(), 4, world.right());
  }));
  EXPECT_TRUE(says("not symmetric", [&] {
    get_nbi<8>(world.as("get_nbi"), cells.data(), here.data(), 1, world.right());
  }));
  EXPECT_TRUE(says("this job has", [&] {
    put_nbi<8>(world.as("put_nbi"), cells.data(), here.data(), 2, world.size());
  }));
  EXPECT_TRUE(says("this job has", [&] {
    atomic_fetch_nbi(world.as("fetch_nbi"), here.data(), cells.data(), -1);
  }));
  world.barrier();
  world.free(cells);
}

}  // namespace
}  // namespace gondwana::test
