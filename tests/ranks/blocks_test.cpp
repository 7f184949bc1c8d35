// Blocks at any rank: allocated, used and freed by ranks that need not be the one whose memory it
// is.
#include <array>
#include <numeric>
#include <vector>

#include "front/shmem/blocks.hpp"
#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

template <typename T>
T* address(World& world, shmemx_gptr_t place) {
  return static_cast<T*>(address_of(world.as("addr"), place));
}

// One rank does everything.
RANK_TEST(a_rank_allocates_uses_and_frees_a_block_of_another, ranks(2)) {
  world.barrier();
  if (world.me() == 0) {
    for (int pe = 0; pe < world.size(); ++pe) {
      const shmemx_gptr_t block = malloc_at(world.as("malloc"), pe, 1000 * sizeof(long));
      ASSERT_FALSE(shmemx_gptr_is_null(block));
      EXPECT_EQ(block.pe, pe);
      EXPECT_EQ(block.offset % 64, 0U);
      auto* words = address<long>(world, block);
      std::vector<long> values(1000, 42);
      put<8>(world.as("put"), words, values.data(), 1000, pe);
      p(world.as("p"), words + 3, 7L, pe);
      EXPECT_EQ(atomic<AtomicOp::add>(world.as("add"), words + 3, 5L, pe), 7);
      quiet(world.as("quiet"));
      std::vector<long> found(1000);
      get<8>(world.as("get"), found.data(), words, 1000, pe);
      values[3] = 12;
      EXPECT_EQ(found, values);
      if (auto* near = static_cast<long*>(pointer_to(world.as("ptr"), block))) {
        EXPECT_EQ(near[3], 12);
      }
      EXPECT_EQ(free_at(world.as("free"), block), 0);
    }
  }
  world.barrier();
}

RANK_TEST(blocks_of_all_ranks_at_one_rank_do_not_overlap, ranks(1)) {
  constexpr int blocks = 50;
  constexpr std::size_t words = 20;
  std::array<shmemx_gptr_t, blocks> mine{};
  for (shmemx_gptr_t& block : mine) {
    block = malloc_at(world.as("malloc"), 0, words * sizeof(long));
    ASSERT_FALSE(shmemx_gptr_is_null(block));
    const std::vector<long> values(words, world.me() + 1);
    put<8>(world.as("put"), address<long>(world, block), values.data(), words, 0);
  }
  world.barrier();
  for (const shmemx_gptr_t& block : mine) {
    std::vector<long> found(words);
    get<8>(world.as("get"), found.data(), address<long>(world, block), words, 0);
    EXPECT_EQ(found, std::vector<long>(words, world.me() + 1));
    EXPECT_EQ(free_at(world.as("free"), block), 0);
  }
  world.barrier();
}

// Hands a block to the next rank, which frees it.
RANK_TEST(any_rank_frees_a_block, ranks(1)) {
  const auto word = world.allocate<std::uint64_t>();
  const shmemx_gptr_t block = malloc_at(world.as("malloc"), world.left(), 64);
  p(world.as("p"), word.data(), shmemx_gptr_pack(block), world.right());
  world.barrier();
  EXPECT_EQ(free_at(world.as("free"), shmemx_gptr_unpack(*word.data())), 0);
  world.barrier();
  EXPECT_NE(free_at(world.as("free"), block), 0);
  world.barrier();
  world.free(word);
}

RANK_TEST(wrong_calls_on_blocks_are_reported_and_the_job_goes_on, ranks(1)) {
  const shmemx_gptr_t block = malloc_at(world.as("malloc"), world.right(), 100);
  EXPECT_NE(free_at(world.as("free"), shmemx_gptr_add(block, 64)), 0);
  EXPECT_NE(free_at(world.as("free"), {.offset = 4096, .pe = world.right(), .space = 0}), 0);
  EXPECT_NE(free_at(world.as("free"), {.offset = block.offset, .pe = -1, .space = 0}), 0);
  EXPECT_NE(free_at(world.as("free"), {.offset = block.offset, .pe = block.pe, .space = 1}), 0);
  EXPECT_EQ(free_at(world.as("free"), block), 0);
  EXPECT_NE(free_at(world.as("free"), block), 0);
  EXPECT_EQ(free_at(world.as("free"), {}), 0);
  EXPECT_TRUE(shmemx_gptr_is_null(malloc_at(world.as("malloc"), world.size(), 100)));
  EXPECT_TRUE(shmemx_gptr_is_null(malloc_at(world.as("malloc"), world.right(), 0)));
  EXPECT_TRUE(shmemx_gptr_is_null(malloc_at(world.as("malloc"), world.right(), ~std::size_t{0})));
  EXPECT_EQ(address_of(world.as("addr"), {}), nullptr);
  EXPECT_EQ(pointer_to(world.as("ptr"), {}), nullptr);
  world.barrier();
}

RANK_TEST(a_remote_heap_can_be_filled_and_emptied, ranks(1)) {
  world.barrier();
  if (world.me() == 0) {
    const std::size_t size = std::size_t{5} << 20;
    std::vector<shmemx_gptr_t> blocks;
    for (;;) {
      const shmemx_gptr_t block = malloc_at(world.as("malloc"), world.right(), size);
      if (shmemx_gptr_is_null(block)) break;
      blocks.push_back(block);
    }
    EXPECT_GE(blocks.size(), 10U);
    for (const shmemx_gptr_t& block : blocks) EXPECT_EQ(free_at(world.as("free"), block), 0);
    for (shmemx_gptr_t& block : blocks) {
      block = malloc_at(world.as("malloc"), world.right(), size);
      EXPECT_FALSE(shmemx_gptr_is_null(block));
    }
    for (const shmemx_gptr_t& block : blocks) EXPECT_EQ(free_at(world.as("free"), block), 0);
  }
  world.barrier();
}

RANK_TEST(accumulates_to_a_block_add_up, ranks(1)) {
  constexpr std::size_t words = 3000;
  const auto word = world.allocate<std::uint64_t>();
  if (world.me() == 0) {
    const shmemx_gptr_t block =
        malloc_at(world.as("malloc"), world.size() - 1, words * sizeof(double));
    const std::vector<double> zeros(words);
    put<8>(world.as("put"), address<double>(world, block), zeros.data(), words, block.pe);
    quiet(world.as("quiet"));
    for (int pe = 0; pe < world.size(); ++pe)
      p(world.as("p"), word.data(), shmemx_gptr_pack(block), pe);
  }
  world.barrier();
  const shmemx_gptr_t block = shmemx_gptr_unpack(*word.data());
  const std::vector<double> terms(words, world.me() + 1);
  EXPECT_EQ(accumulate_at(world.as("sum"), block, terms.data(), words, SHMEMX_DOUBLE), 0);
  EXPECT_NE(accumulate_at(world.as("sum"), block, terms.data(), words, 99), 0);
  EXPECT_NE(accumulate_at(world.as("sum"), {}, terms.data(), words, SHMEMX_DOUBLE), 0);
  world.barrier();
  std::vector<double> found(words);
  get<8>(world.as("get"), found.data(), address<double>(world, block), words, block.pe);
  const double sum = world.size() * (world.size() + 1) / 2.0;
  EXPECT_EQ(found, std::vector<double>(words, sum));
  world.barrier();
  if (world.me() == 0) {
    EXPECT_EQ(free_at(world.as("free"), block), 0);
  }
  world.free(word);
}

// A node of a stack in the memory of all ranks. Nodes are freed at the end only, so no node returns
// to the top while another rank compares it.
struct Node {
  std::uint64_t next;
  std::uint64_t value;
};

// Puts a node at `pe` on the top of the stack, which is a word of rank 0.
void push(World& world, std::uint64_t* top, std::uint64_t value, int pe) {
  const shmemx_gptr_t block = malloc_at(world.as("malloc"), pe, sizeof(Node));
  auto* node = address<Node>(world, block);
  p(world.as("p"), &node->value, value, pe);
  std::uint64_t seen = atomic_fetch(world.as("fetch"), top, 0);
  for (;;) {
    p(world.as("p"), &node->next, seen, pe);
    quiet(world.as("quiet"));
    const std::uint64_t found =
        atomic_compare_swap(world.as("swap"), top, seen, shmemx_gptr_pack(block), 0);
    if (found == seen) break;
    seen = found;
  }
}

// Frees all nodes. Returns their values.
std::vector<std::uint64_t> free_nodes(World& world, std::uint64_t top) {
  std::vector<std::uint64_t> values;
  for (shmemx_gptr_t place = shmemx_gptr_unpack(top); !shmemx_gptr_is_null(place);) {
    Node node{};
    get<1>(world.as("get"), &node, address<Node>(world, place), sizeof(node), place.pe);
    values.push_back(node.value);
    EXPECT_EQ(free_at(world.as("free"), place), 0);
    place = shmemx_gptr_unpack(node.next);
  }
  return values;
}

RANK_TEST(a_list_over_all_ranks_loses_no_node, ranks(1)) {
  constexpr int nodes = 40;
  const auto top = world.allocate<std::uint64_t>();
  for (int i = 0; i < nodes; ++i) {
    const int pe = static_cast<int>(world.random()() % static_cast<unsigned>(world.size()));
    push(world, top.data(), static_cast<std::uint64_t>(i), pe);
  }
  world.barrier();
  if (world.me() == 0) {
    const std::vector<std::uint64_t> values = free_nodes(world, *top.data());
    const int count = nodes * world.size();
    EXPECT_EQ(values.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), std::uint64_t{0}),
              static_cast<std::uint64_t>(count * (nodes - 1) / 2));
  }
  world.barrier();
  world.free(top);
}

}  // namespace
}  // namespace gondwana::test
