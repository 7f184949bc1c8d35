// The remote heap of a rank: blocks of different processes do not overlap, even if some of the
// processes die.
#include "memory/remote_heap.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "core/mapping.hpp"

namespace gondwana {
namespace {

constexpr std::uint64_t start = std::uint64_t{16} << 20;  // of the blocks, in the arena

// An arena with a heap, shared with children.
class Arena {
 public:
  explicit Arena(std::size_t size)
      : memfd_(*create_memfd("remote heap", length_of(size))),
        mapping_(*Mapping::shared(memfd_, length_of(size))) {
    heap().open(start, size);
  }

  std::byte* bytes() const { return mapping_.data() + round_up(sizeof(RemoteHeapState), 4096); }
  RemoteHeapState& state() const { return *reinterpret_cast<RemoteHeapState*>(mapping_.data()); }
  RemoteHeap heap() const { return {state(), bytes()}; }

 private:
  static std::size_t length_of(std::size_t size) {
    return round_up(sizeof(RemoteHeapState), 4096) + start + RemoteHeap::extent(size);
  }

  UniqueFd memfd_;
  Mapping mapping_;
};

using Release = RemoteHeap::Release;

TEST(block_classes, a_class_is_the_smallest_that_holds_the_block) {
  for (std::uint64_t granules = 1; granules < 100'000; ++granules) {
    const unsigned holds = BlockClasses::holding(granules);
    ASSERT_GE(BlockClasses::size_of(holds), granules);
    ASSERT_TRUE(holds == 0 || BlockClasses::size_of(holds - 1) < granules);
    ASSERT_LE(BlockClasses::size_of(BlockClasses::within(granules)), granules);
  }
}

TEST(remote_heap, blocks_of_any_size_do_not_overlap) {
  const Arena arena(std::size_t{8} << 20);
  RemoteHeap heap = arena.heap();
  std::map<std::uint64_t, std::size_t> blocks;
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const std::size_t size = 1 + random() % (i % 50 == 0 ? 100'000 : 3'000);
    const std::uint64_t block = heap.allocate(size);
    ASSERT_NE(block, 0U);
    EXPECT_EQ(block % RemoteHeap::granule, 0U);
    EXPECT_TRUE(blocks.emplace(block, size).second);
  }
  std::uint64_t end = start;
  for (const auto& [block, size] : blocks) {
    EXPECT_GE(block, end);
    end = block + size;
  }
  EXPECT_LE(end, start + heap.size());
}

TEST(remote_heap, a_freed_block_is_allocated_again) {
  const Arena arena(1 << 20);
  RemoteHeap heap = arena.heap();
  const std::uint64_t first = heap.allocate(1000);
  const std::uint64_t second = heap.allocate(1000);
  EXPECT_EQ(heap.release(first), Release::done);
  EXPECT_EQ(heap.release(second), Release::done);
  EXPECT_EQ(heap.allocate(1000), second);
  EXPECT_EQ(heap.allocate(1000), first);
}

TEST(remote_heap, wrong_releases_change_nothing) {
  const Arena arena(1 << 20);
  RemoteHeap heap = arena.heap();
  const std::uint64_t block = heap.allocate(200);
  EXPECT_EQ(heap.release(block + 64), Release::no_block);
  EXPECT_EQ(heap.release(block + 1), Release::no_block);
  EXPECT_EQ(heap.release(start - 64), Release::outside);
  EXPECT_EQ(heap.release(start + (1 << 20)), Release::outside);
  EXPECT_EQ(heap.release(block), Release::done);
  EXPECT_EQ(heap.release(block), Release::is_free);
  EXPECT_EQ(heap.allocate(200), block);
  EXPECT_NE(heap.allocate(200), block);
}

TEST(remote_heap, blocks_of_owners_that_have_ended_are_taken_back) {
  const Arena arena(1 << 20);
  RemoteHeap heap = arena.heap();
  const BlockOwner ended = owner_of(Rank((1U << rank_bits) - 1), 65'535);
  const BlockOwner living = owner_of(Rank((1U << rank_bits) - 1), 65'534);
  const auto has_ended = [ended](BlockOwner owner) {
    return rank_of(owner) == rank_of(ended) && incarnation_of(owner) == incarnation_of(ended);
  };
  const std::uint64_t block = heap.allocate(200, ended);
  const std::uint64_t other = heap.allocate(200, living);
  const std::uint64_t unowned = heap.allocate(200);
  const std::uint64_t freed = heap.allocate(200, ended);
  EXPECT_EQ(heap.release(freed), Release::done);
  EXPECT_TRUE(heap.take_back(1, has_ended));
  EXPECT_FALSE(heap.take_back(1, has_ended)) << "nobody has ended since";
  EXPECT_EQ(heap.release(block), Release::is_free);
  EXPECT_EQ(heap.allocate(200), block);
  EXPECT_EQ(heap.allocate(200), freed);
  EXPECT_TRUE(heap.take_back(2, has_ended));
  for (const std::uint64_t each : {block, other, unowned, freed})
    EXPECT_EQ(heap.release(each), Release::done);
}

TEST(remote_heap, a_full_heap_splits_larger_blocks) {
  constexpr std::size_t size = 1 << 20;
  const Arena arena(size);
  RemoteHeap heap = arena.heap();
  EXPECT_EQ(heap.allocate(size + 1), 0U);
  const std::uint64_t whole = heap.allocate(size);
  ASSERT_EQ(whole, start);
  EXPECT_EQ(heap.allocate(1), 0U);
  EXPECT_EQ(heap.release(whole), Release::done);
  std::set<std::uint64_t> blocks;
  while (const std::uint64_t block = heap.allocate(192)) EXPECT_TRUE(blocks.insert(block).second);
  EXPECT_GE(blocks.size(), size / 256);
  EXPECT_NE(heap.allocate(64), 0U);  // what the splits have left
}

TEST(remote_heap, a_heap_that_opens_again_is_empty_and_clean) {
  const Arena arena(1 << 20);
  RemoteHeap heap = arena.heap();
  const std::uint64_t block = heap.allocate(100'000);
  std::fill_n(arena.bytes() + block, 100'000, std::byte{1});
  heap.open(start + 8192, 1 << 19);
  EXPECT_EQ(arena.bytes()[block], std::byte{0});
  EXPECT_EQ(arena.bytes()[block + 99'999], std::byte{0});
  EXPECT_EQ(heap.release(block), Release::outside);
  EXPECT_EQ(heap.allocate(1), start + 8192);
}

TEST(remote_heap, a_rank_without_a_heap_has_no_blocks) {
  const Arena arena(0);
  RemoteHeap heap = arena.heap();
  EXPECT_EQ(heap.allocate(1), 0U);
  EXPECT_EQ(heap.release(start), Release::outside);
}

// Allocates and frees, and marks each granule of its blocks. A granule that is marked already
// belongs to another block.
class User {
 public:
  explicit User(const Arena& arena, unsigned seed) : arena_(arena), random_(seed) {}

  bool step() {
    if (blocks_.size() < most_blocks && random_() % 2 == 0) return allocate();
    return blocks_.empty() || release(random_() % blocks_.size());
  }
  bool release_all() {
    while (!blocks_.empty())
      if (!release(blocks_.size() - 1)) return false;
    return true;
  }

 private:
  static constexpr std::size_t most_blocks = 40;

  struct Block {
    std::uint64_t offset;
    std::size_t size;
  };

  bool allocate() {
    const std::size_t size = 1 + random_() % (random_() % 16 == 0 ? 20'000 : 500);
    const std::uint64_t offset = arena_.heap().allocate(size);
    if (offset == 0) return true;  // full for the moment
    blocks_.push_back({offset, size});
    return mark(blocks_.back(), 0, 1);
  }
  bool release(std::size_t number) {
    const Block block = blocks_[number];
    blocks_[number] = blocks_.back();
    blocks_.pop_back();
    return mark(block, 1, 0) && arena_.heap().release(block.offset) == Release::done;
  }
  bool mark(const Block& block, std::uint64_t before, std::uint64_t after) {
    for (std::size_t at = 0; at < block.size; at += RemoteHeap::granule) {
      auto& word = *reinterpret_cast<std::uint64_t*>(arena_.bytes() + block.offset + at);
      if (std::atomic_ref(word).exchange(after, std::memory_order_relaxed) != before) return false;
    }
    return true;
  }

  const Arena& arena_;
  std::mt19937 random_;
  std::vector<Block> blocks_;
};

TEST(remote_heap, threads_never_share_a_block) {
  const Arena arena(std::size_t{1} << 20);
  constexpr unsigned users = 4;
  std::vector<std::jthread> threads;
  threads.reserve(users);
  std::atomic<int> wrong{0};
  for (unsigned seed = 0; seed < users; ++seed)
    threads.emplace_back([&, seed] {
      User user(arena, seed);
      for (int i = 0; i < 100'000; ++i)
        if (!user.step()) ++wrong;
      if (!user.release_all()) ++wrong;
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

// Children that allocate and free until they are killed, or until `done`.
class Children {
 public:
  struct Shared {
    std::atomic<std::uint64_t> operations;
    std::atomic<std::uint32_t> wrong;
    std::atomic<std::uint32_t> done;
  };

  Children(const Arena& arena, Shared& shared) : arena_(arena), shared_(shared) {}

  void start() {
    const unsigned seed = ++seeds_;
    const pid_t child = ::fork();
    if (child == 0) run(seed);
    all_.push_back(child);
  }
  void kill_oldest() {
    ::kill(all_.front(), SIGKILL);
    ::waitpid(all_.front(), nullptr, 0);
    all_.erase(all_.begin());
  }
  void finish() {
    shared_.done = 1;
    for (const pid_t child : all_) ::waitpid(child, nullptr, 0);
  }

 private:
  [[noreturn]] void run(unsigned seed) {
    User user(arena_, seed);
    while (shared_.done == 0) {
      if (!user.step()) ++shared_.wrong;
      ++shared_.operations;
    }
    if (!user.release_all()) ++shared_.wrong;
    ::_exit(0);
  }

  const Arena& arena_;
  Shared& shared_;
  std::vector<pid_t> all_;
  unsigned seeds_ = 0;
};

TEST(remote_heap, processes_that_are_killed_lock_nobody_out) {
  constexpr std::uint64_t operations = 1'000'000;
  constexpr std::uint64_t between_kills = 10'000;
  const Arena arena(std::size_t{64} << 20);
  const Arena words(4096);
  auto& shared = *reinterpret_cast<Children::Shared*>(words.bytes());
  Children children(arena, shared);
  for (int i = 0; i < 3; ++i) children.start();
  for (std::uint64_t next = between_kills; next < operations; next += between_kills) {
    while (shared.operations < next) std::this_thread::yield();
    children.kill_oldest();
    children.start();
  }
  children.finish();
  EXPECT_EQ(shared.wrong, 0U);
  EXPECT_GE(shared.operations, operations - between_kills);
}

}  // namespace
}  // namespace gondwana
