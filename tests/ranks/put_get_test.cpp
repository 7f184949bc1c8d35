#include <algorithm>
#include <numeric>
#include <vector>

#include "support/rank_test.hpp"
#include "support/ways.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;  // this tests the templates of the door

template <typename T>
void a_value_reaches_the_right_neighbour(World& world) {
  const auto value_of = [](int rank) { return static_cast<T>(10 - rank); };
  const auto cell = world.allocate<T>();
  p(world.as("p"), cell.data(), value_of(world.me()), world.right());
  world.barrier();
  EXPECT_EQ(cell[0], value_of(world.left()));
  EXPECT_EQ(g(world.as("g"), cell.data(), world.right()), value_of(world.me()));
  world.free(cell);
}

RANK_TEST(p_and_g_carry_values_of_every_width, ranks(1)) {
  a_value_reaches_the_right_neighbour<char>(world);
  a_value_reaches_the_right_neighbour<short>(world);
  a_value_reaches_the_right_neighbour<int>(world);
  a_value_reaches_the_right_neighbour<long>(world);
  a_value_reaches_the_right_neighbour<float>(world);
  a_value_reaches_the_right_neighbour<double>(world);
  a_value_reaches_the_right_neighbour<long double>(world);
}

RANK_TEST(put_and_get_of_many_sizes_are_exact, ranks(1)) {
  constexpr std::size_t most = 300'000;
  const auto block = world.allocate<std::uint8_t>(most);
  std::vector<std::uint8_t> source(most);
  std::vector<std::uint8_t> back(most);
  for (const std::size_t size : {0UL, 1UL, 2UL, 3UL, 4UL, 7UL, 8UL, 9UL, 63UL, 64UL, 999UL, 1001UL,
                                 4096UL, 65'537UL, most}) {
    for (const std::size_t start : {0UL, 1UL, 5UL}) {
      if (start + size > most) continue;
      std::ranges::generate(source, [&] { return static_cast<std::uint8_t>(world.random()()); });
      put<1>(world.as("putmem"), block.data() + start, source.data(), size, world.right());
      world.barrier();
      get<1>(world.as("getmem"), back.data(), block.data() + start, size, world.right());
      EXPECT_TRUE(std::equal(back.begin(), back.begin() + static_cast<long>(size), source.begin()))
          << size << " bytes at " << start;
      world.barrier();
    }
  }
  world.free(block);
}

RANK_TEST(put_touches_nothing_beside_its_target, ranks(1)) {
  const auto block = world.allocate<std::uint8_t>(64);
  const std::vector<std::uint8_t> ones(64, 1);
  put<1>(world.as("putmem"), block.data() + 3, ones.data(), 13, world.right());
  world.barrier();
  EXPECT_EQ(std::accumulate(block.begin(), block.end(), 0), 13);
  EXPECT_EQ(block[2] + block[16], 0);
  world.free(block);
}

RANK_TEST(source_may_be_reused_when_put_returns, ranks(2)) {
  const auto block = world.allocate<long>(1000);
  std::vector<long> source(1000);
  for (long i = 0; i < 1000; ++i) {
    source[0] = i;
    put<8>(world.as("put"), block.data() + i, source.data(), 1, world.right());
    source[0] = -1;
  }
  world.barrier();
  for (long i = 0; i < 1000; ++i) EXPECT_EQ(block[static_cast<std::size_t>(i)], i);
  world.free(block);
}

RANK_TEST(strided_transfers_keep_elements_apart, ranks(1)) {
  const auto block = world.allocate<int>(100);
  std::vector<int> source(100);
  std::iota(source.begin(), source.end(), 0);
  iput<4>(world.as("iput"), block.data(), source.data(), 3, 2, 10, world.right());
  world.barrier();
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_EQ(block[i], i % 3 == 0 ? static_cast<int>(i / 3 * 2) : 0) << i;
  std::vector<int> back(40, -1);
  iget<4>(world.as("iget"), back.data(), block.data(), 4, 3, 10, world.right());
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_EQ(back[i], i % 4 == 0 ? static_cast<int>(i / 4 * 2) : -1) << i;
  world.free(block);
}

RANK_TEST(negative_strides_walk_backwards, ranks(1).without_checks()) {
  const auto block = world.allocate<short>(10);
  const std::vector<short> source{1, 2, 3, 4, 5};
  iput<2>(world.as("iput"), block.data() + 9, source.data(), -2, 1, 5, world.right());
  world.barrier();
  EXPECT_EQ(std::vector<short>(block.begin(), block.end()),
            (std::vector<short>{0, 5, 0, 4, 0, 3, 0, 2, 0, 1}));
  world.free(block);
}

// Blocks of 3 elements: the gaps between them stay unchanged.
RANK_TEST(blocks_are_put_and_got_at_their_strides, ranks(1)) {
  const auto block = world.allocate<int>(40);
  in_every_way(world, [&](const Way& way) {
    std::vector<int> source(40);
    std::iota(source.begin(), source.end(), 1);
    ibput<4>(way.as("ibput"), block.data(), source.data(), 5, 4, 3, 6, way.right());
    quiet(way.as("quiet"));
    world.barrier();
    for (std::size_t i = 0; i < 40; ++i) {
      const bool written = i % 5 < 3 && i / 5 < 6;
      EXPECT_EQ(block[i], written ? source[i / 5 * 4 + i % 5] : 0) << i;
    }
    std::vector<int> back(40);
    ibget<4>(way.as("ibget"), back.data(), block.data(), 6, 5, 3, 6, way.right());
    for (std::size_t i = 0; i < 40; ++i) {
      const bool written = i % 6 < 3 && i / 6 < 6;
      EXPECT_EQ(back[i], written ? source[i / 6 * 4 + i % 6] : 0) << i;
    }
    world.barrier();
    std::ranges::fill(block, 0);
    world.barrier();
  });
  world.free(block);
}

template <std::size_t Width>
void blocks_without_gaps_are_a_put(World& world) {
  const auto block = world.allocate<std::uint8_t>(Width * 12);
  std::vector<std::uint8_t> source(Width * 12);
  std::iota(source.begin(), source.end(), std::uint8_t{1});
  ibput<Width>(world.as("ibput"), block.data(), source.data(), 4, 4, 4, 3, world.right());
  world.barrier();
  EXPECT_TRUE(std::ranges::equal(block, source));
  std::vector<std::uint8_t> back(Width * 12);
  ibget<Width>(world.as("ibget"), back.data(), block.data(), 3, 3, 3, 4, world.right());
  EXPECT_EQ(back, source);
  world.barrier();
  world.free(block);
}

RANK_TEST(blocks_of_every_width_without_gaps_are_a_put, ranks(1)) {
  blocks_without_gaps_are_a_put<1>(world);
  blocks_without_gaps_are_a_put<2>(world);
  blocks_without_gaps_are_a_put<4>(world);
  blocks_without_gaps_are_a_put<8>(world);
  blocks_without_gaps_are_a_put<16>(world);
}

RANK_TEST(a_block_of_one_element_is_a_strided_put, ranks(1)) {
  const auto blocks = world.allocate<short>(30);
  const auto elements = world.allocate<short>(30);
  std::vector<short> source(30);
  std::iota(source.begin(), source.end(), short{1});
  ibput<2>(world.as("ibput"), blocks.data(), source.data(), 3, 2, 1, 10, world.right());
  iput<2>(world.as("iput"), elements.data(), source.data(), 3, 2, 10, world.right());
  world.barrier();
  EXPECT_TRUE(std::ranges::equal(blocks, elements));
  EXPECT_EQ(blocks[27], 19);
  world.barrier();
  world.free(blocks);
  world.free(elements);
}

RANK_TEST(no_blocks_and_empty_blocks_move_nothing, ranks(1)) {
  const auto cell = world.allocate<long>();
  const long source = 7;
  ibput<8>(world.as("ibput"), cell.data(), &source, 1, 1, 1, 0, world.right());
  ibput<8>(world.as("ibput"), cell.data(), &source, 1, 1, 0, 5, world.right());
  world.barrier();
  EXPECT_EQ(cell[0], 0);
  world.free(cell);
}

RANK_TEST(blocks_that_would_overlap_are_refused, ranks(1)) {
  const auto cells = world.allocate<long>(10);
  std::vector<long> here(10);
  const auto put_with = [&](std::ptrdiff_t dst, std::ptrdiff_t sst) {
    ibput<8>(world.as("ibput"), cells.data(), here.data(), dst, sst, 3, 2, 0);
  };
  EXPECT_TRUE(says("dst 2: blocks of 3 elements", [&] { put_with(2, 3); }));
  EXPECT_TRUE(says("sst -4: blocks of 3 elements", [&] { put_with(3, -4); }));
  EXPECT_TRUE(says("sst 0: blocks of 3 elements",
                   [&] { ibget<8>(world.as("ibget"), here.data(), cells.data(), 3, 0, 3, 2, 0); }));
  world.barrier();
  world.free(cells);
}

// If blocks leave the heap none is written, not even those inside of it.
RANK_TEST(blocks_that_leave_the_heap_are_refused_whole, ranks(1).without_checks()) {
  const auto cells = world.allocate<long>(4);
  std::vector<long> here(4, 1);
  const auto heap = static_cast<std::ptrdiff_t>(world.engine().symmetric().heap_size());
  const volatile std::size_t huge = ~std::size_t{0} / 8;
  for (const std::ptrdiff_t stride : {heap, std::ptrdiff_t{1} << 60, PTRDIFF_MAX}) {
    EXPECT_TRUE(says("not symmetric", [&] {
      ibput<8>(world.as("ibput"), cells.data(), here.data(), stride, 2, 2, 2, world.right());
    }));
    EXPECT_TRUE(says("not symmetric", [&] {
      ibget<8>(world.as("ibget"), here.data(), cells.data(), 2, stride, 2, 2, world.right());
    }));
  }
  EXPECT_TRUE(says("not symmetric", [&] {
    ibput<8>(world.as("ibput"), cells.data(), here.data(), PTRDIFF_MAX, PTRDIFF_MAX, huge, 1,
             world.right());
  }));
  world.barrier();
  EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), 0L), 0);
  world.barrier();
  world.free(cells);
}

RANK_TEST(fence_orders_data_before_its_flag, ranks(2)) {
  constexpr long rounds = 200;
  const auto data = world.allocate<long>(512);
  const auto flag = world.allocate<long>();
  const auto taken = world.allocate<long>();
  std::vector<long> source(512);
  for (long round = 1; round <= rounds; ++round) {
    std::ranges::fill(source, round);
    put<8>(world.as("put"), data.data(), source.data(), 512, world.right());
    fence(world.as("fence"));
    p(world.as("p"), flag.data(), round, world.right());
    wait_until(world.as("wait_until"), flag.data(), SHMEM_CMP_GE, round);
    ASSERT_TRUE(std::ranges::all_of(data, [&](long value) { return value == round; })) << round;
    p(world.as("p"), taken.data(), round, world.left());
    wait_until(world.as("wait_until"), taken.data(), SHMEM_CMP_GE, round);
  }
  world.barrier();
  world.free(data);
  world.free(flag);
  world.free(taken);
}

// Store buffering: quiet completes a put at its target, so at least one rank sees the other's.
RANK_TEST(quiet_completes_a_put_before_the_next_get, ranks(2)) {
  const auto cell = world.allocate<long>();
  const auto seen = world.allocate<long>();
  const bool plays = world.me() < 2;
  for (long round = 1; round <= 500; ++round) {
    world.barrier();
    if (plays) {
      p(world.as("p"), cell.data(), round, world.me());
      quiet(world.as("quiet"));
      seen[0] = g(world.as("g"), cell.data(), 1 - world.me());
    }
    world.barrier();
    const bool saw = seen[0] == round || g(world.as("g"), seen.data(), 1) == round;
    EXPECT_TRUE(saw || world.me() != 0) << round;
  }
  world.barrier();
  world.free(cell);
  world.free(seen);
}

// Each may travel as a message, as an operation of the network, or packed.
RANK_TEST(a_get_sees_the_puts_of_its_rank_before_it, ranks(1)) {
  constexpr std::size_t most = 100'000;
  const auto block = world.allocate<std::uint8_t>(most);
  std::vector<std::uint8_t> source(most);
  std::vector<std::uint8_t> back(most);
  for (const std::size_t size : {1UL, 8UL, 100UL, 5000UL, 9000UL, most}) {
    for (std::uint8_t round = 1; round <= 3; ++round) {
      std::ranges::fill(source, static_cast<std::uint8_t>(size * 3 + round));
      put<1>(world.as("putmem"), block.data(), source.data(), size, world.right());
      get<1>(world.as("getmem"), back.data(), block.data(), size, world.right());
      EXPECT_TRUE(
          std::equal(source.begin(), source.begin() + static_cast<long>(size), back.begin()))
          << size;
    }
  }
  for (const std::size_t length : {1UL, 24UL, 700UL, 4000UL, 6000UL}) {
    std::ranges::fill(source, static_cast<std::uint8_t>(length + 1));
    ibput<1>(world.as("ibput"), block.data(), source.data(), 8000, 7000, length, 12, world.right());
    ibget<1>(world.as("ibget"), back.data(), block.data(), 6000, 8000, length, 12, world.right());
    EXPECT_TRUE(std::all_of(back.begin() + 11 * 6000,
                            back.begin() + 11 * 6000 + static_cast<long>(length),
                            [&](std::uint8_t each) { return each == source[0]; }))
        << length;
  }
  world.barrier();
  world.free(block);
}

RANK_TEST(an_eight_byte_put_is_never_seen_in_halves, ranks(2)) {
  const auto cell = world.allocate<std::uint64_t>();
  const auto stop = world.allocate<long>();
  if (world.me() == 0) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const std::uint64_t half = i & 0xffffffff;
      p(world.as("p"), cell.data(), half << 32 | half, 1);
    }
    quiet(world.as("quiet"));
    p(world.as("p"), stop.data(), 1L, 1);
  } else if (world.me() == 1) {
    while (shmem::test(world.as("test"), stop.data(), SHMEM_CMP_EQ, 0L) != 0) {
      const std::uint64_t value = Cells(world.as("look"), cell.data()).load();
      ASSERT_EQ(value >> 32, value & 0xffffffff);
    }
  }
  world.barrier();
  world.free(cell);
  world.free(stop);
}

// Puts smaller than any atomic operation must not be torn either.
RANK_TEST(a_two_byte_put_is_never_seen_in_halves, ranks(2)) {
  const auto cells = world.allocate<std::uint16_t>(4);
  const auto stop = world.allocate<long>();
  if (world.me() == 0) {
    for (int i = 0; i < 2000; ++i) {
      const int half = i & 0xff;
      p(world.as("p"), &cells[1], static_cast<std::uint16_t>(half << 8 | half), 1);
    }
    quiet(world.as("quiet"));
    p(world.as("p"), stop.data(), 1L, 1);
  } else if (world.me() == 1) {
    while (shmem::test(world.as("test"), stop.data(), SHMEM_CMP_EQ, 0L) != 0) {
      const std::uint16_t value = Cells(world.as("look"), &cells[1]).load();
      ASSERT_EQ(value >> 8, value & 0xff);
    }
    EXPECT_EQ(Cells(world.as("look"), &cells[1]).load(), 0xcfcf);  // 1999 modulo 256, twice
    EXPECT_EQ(cells[0] + cells[2] + cells[3], 0);
  }
  world.barrier();
  world.free(cells);
  world.free(stop);
}

RANK_TEST(a_rank_that_does_not_exist_is_named, ranks(1).without_checks()) {
  const auto cell = world.allocate<long>();
  const std::string text =
      sentence_of([&] { p(world.as("shmem_long_p"), cell.data(), 1L, world.size()); });
  EXPECT_NE(text.find(fmt::format("shmem_long_p: put of 8 B to rank {}: this job has {} rank",
                                  world.size(), world.size())),
            std::string::npos)
      << text;
  EXPECT_NE(sentence_of([&] { g(world.as("g"), cell.data(), -1); }).find("rank -1"),
            std::string::npos);
  world.free(cell);
}

RANK_TEST(memory_that_is_not_symmetric_is_refused, ranks(1)) {
  long here = 0;
  EXPECT_NE(sentence_of([&] { p(world.as("p"), &here, 1L, 0); }).find("not symmetric"),
            std::string::npos);
  EXPECT_NE(sentence_of([&] { get<8>(world.as("get"), &here, &here, 1, 0); }).find("not symmetric"),
            std::string::npos);
}

RANK_TEST(a_put_that_ends_outside_the_heap_is_refused, ranks(1).without_checks()) {
  const auto cell = world.allocate<long>();
  const volatile std::size_t heap = world.engine().symmetric().heap_size();
  const long source = 0;
  EXPECT_NE(sentence_of([&] {
              put<1>(world.as("putmem"), cell.data(), &source, heap + 1, 0);
            }).find("not symmetric"),
            std::string::npos);
  const volatile std::size_t wraps = ~std::size_t{0} / 8 + 2;
  EXPECT_NE(sentence_of([&] {
              put<8>(world.as("put"), cell.data(), &source, wraps, 0);
            }).find("not symmetric"),
            std::string::npos);
  world.free(cell);
}

RANK_TEST(a_strided_transfer_that_leaves_the_heap_is_refused, ranks(1).without_checks()) {
  const auto cell = world.allocate<long>();
  const long source[2] = {1, 2};
  long back[2] = {0, 0};
  const auto far = static_cast<std::ptrdiff_t>(world.engine().symmetric().heap_size());
  for (const std::ptrdiff_t stride : {far, std::ptrdiff_t{1} << 61, -far}) {
    EXPECT_NE(sentence_of([&] {
                iput<8>(world.as("iput"), cell.data(), source, stride, 1, 2, world.right());
              }).find("not symmetric"),
              std::string::npos);
    EXPECT_NE(sentence_of([&] {
                iget<8>(world.as("iget"), back, cell.data(), 1, stride, 2, world.right());
              }).find("not symmetric"),
              std::string::npos);
  }
  world.barrier();
  world.free(cell);
}

RANK_TEST(shmem_ptr_points_into_the_peers_memory, ranks(1)) {
  const auto cell = world.allocate<long>();
  const auto cell_of = [&](int rank) {
    return static_cast<long*>(world.engine().rma().pointer_to(rank_of(rank), cell.data()));
  };
  if (long* far = cell_of(world.right()); far != nullptr)
    std::atomic_ref<long>(*far).store(world.me() + 10);
  world.barrier();
  const bool left_reaches_me = cell_of(world.left()) != nullptr;
  EXPECT_EQ(cell[0], left_reaches_me ? world.left() + 10 : 0);
  long here = 0;
  EXPECT_EQ(world.engine().rma().pointer_to(Rank(0), &here), nullptr);
  world.barrier();
  world.free(cell);
}

RANK_TEST(what_a_rank_does_is_counted, ranks(1)) {
  const auto cell = world.allocate<long>(4);
  const CounterBlock& counters = world.lane().counters();
  const std::uint64_t puts = counters.read(Count::puts);
  const std::uint64_t bytes = counters.read(Count::put_bytes);
  const long source[4] = {1, 2, 3, 4};
  put<8>(world.as("put"), cell.data(), source, 4, world.right());
  p(world.as("p"), cell.data(), 1L, world.right());
  EXPECT_EQ(counters.read(Count::puts) - puts, 2U);
  EXPECT_EQ(counters.read(Count::put_bytes) - bytes, 40U);
  world.barrier();
  world.free(cell);
}

}  // namespace
}  // namespace gondwana::test
