// The list of free blocks under the model checker: an element has one owner at a time, which sees
// the writes of the last owner.
#include <array>

#include "support/model/assertions.hpp"
#include "support/model/unordered_swap.hpp"
#include "sync/free_list.hpp"

namespace gondwana {
namespace {

using model::Atomics;
using model::Data;
using model::fails;
using model::holds;
using model::Outcome;
using model::Scenario;
using model::UnorderedSwap;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr unsigned index_bits = 8;  // the counters of the model have 32 bits

// Atomics with one fault.
struct Untagged : Atomics {
  struct Counter : model::Counter {
    bool compare_exchange_strong(std::uint64_t& expected, std::uint64_t value,
                                 std::memory_order success, std::memory_order failure) {
      constexpr std::uint64_t without_tag = (1U << index_bits) - 1;
      return model::Counter::compare_exchange_strong(expected, value & without_tag, success,
                                                     failure);
    }
  };
};

template <typename A>
struct Blocks {
  Scenario scenario;
  FreeList<A, index_bits> list;
  std::array<typename A::Counter, 2> words;
  std::array<Data, 2> bytes;

  Blocks() {
    scenario.name(bytes[0], "bytes 1");
    scenario.name(bytes[1], "bytes 2");
  }
  auto word_of() {
    return [this](std::uint64_t block) -> auto& { return words[block - 1]; };
  }
  void push(std::uint64_t block) { list.push(block, 0, word_of()); }
  std::uint64_t pop() {
    const std::uint64_t block = list.pop(word_of());
    if (block != 0) bytes[block - 1].write(1);
    return block;
  }
};

// Either process takes what the other has freed.
template <typename A>
Outcome blocks_change_hands() {
  Blocks<A> blocks;
  const auto hand_over = [&](std::uint64_t own) {
    blocks.bytes[own - 1].write(1);
    blocks.push(own);
    blocks.pop();
  };
  blocks.scenario.thread("one", [&] { hand_over(1); });
  blocks.scenario.thread("other", [&] { hand_over(2); });
  return blocks.scenario.explore();
}

// A process that is about to pop block 1 is overtaken: block 1 is on top again, block 2 has gone.
template <typename A>
Outcome a_block_returns_to_the_top() {
  Blocks<A> blocks;
  blocks.scenario.thread("owner", [&] {
    blocks.push(2);
    blocks.push(1);
    const std::uint64_t first = blocks.pop();
    const std::uint64_t second = blocks.pop();
    if (first != 0) blocks.push(first);
    if (second != 0) blocks.bytes[second - 1].write(2);
  });
  blocks.scenario.thread("peer", [&] {
    blocks.pop();
    blocks.pop();
  });
  return blocks.scenario.explore();
}

TEST(free_list_model, a_block_has_one_owner) {
  EXPECT_TRUE(holds(blocks_change_hands<Atomics>()));
  EXPECT_TRUE(holds(a_block_returns_to_the_top<Atomics>()));
}

TEST(free_list_model, atomics_that_order_too_little_are_found) {
  EXPECT_TRUE(fails(blocks_change_hands<UnorderedSwap>(), "data race"));
}

TEST(free_list_model, a_list_without_tags_is_found) {
  EXPECT_TRUE(fails(a_block_returns_to_the_top<Untagged>(), "data race"));
}

}  // namespace
}  // namespace gondwana
