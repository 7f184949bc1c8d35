#include "front/shmem/active_set.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// An active set as C callers name it, its meaning, and two arrays for alternate use. Ranks outside
// the set construct it too: allocation is collective.
class Set {
 public:
  Set(World& world, int set_start, int set_log_stride, int set_size)
      : start(set_start),
        log_stride(set_log_stride),
        size(set_size),
        world_(world),
        sync_(world.allocate<long>(2 * SHMEM_REDUCE_SYNC_SIZE)) {}
  ~Set() {
    world_.barrier();
    EXPECT_TRUE(std::ranges::all_of(sync_, [](long x) { return x == SHMEM_SYNC_VALUE; }));
    world_.free(sync_);
  }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

  int pe_of(int member) const { return start + (member << log_stride); }
  // -1: not in the set.
  int me() const {
    for (int member = 0; member < size; ++member)
      if (pe_of(member) == world_.me()) return member;
    return -1;
  }
  long* sync() const { return sync_.data(); }
  long* sync_in_turn() {
    turn_ = SHMEM_REDUCE_SYNC_SIZE - turn_;
    return sync_.data() + turn_;
  }

  // The standard requires that the dest of every member is ready before the first member calls.
  void make_ready() const { sync_set(world_.as("sync"), start, log_stride, size, sync()); }

  const int start;
  const int log_stride;
  const int size;

 private:
  World& world_;
  std::span<long> sync_;
  std::size_t turn_ = 0;
};

void for_each_set(World& world, const std::function<void(Set&)>& body) {
  const int ranks = world.size();
  const auto run = [&](int start, int log_stride, int size) {
    if (size < 1) return;
    Set set(world, start, log_stride, size);
    if (set.me() >= 0) body(set);
  };
  run(0, 0, ranks);
  run(1, 0, ranks - 1);
  run(0, 1, (ranks + 1) / 2);
  run(1, 1, ranks / 2);
  run(0, 2, (ranks + 3) / 4);
  run(ranks - 1, 0, 1);
}

RANK_TEST(nobody_leaves_a_barrier_of_a_set_before_its_puts_have_arrived, ranks(1)) {
  const auto cells = world.allocate<int>(static_cast<std::size_t>(world.size()));
  for_each_set(world, [&](Set& set) {
    for (int round = 1; round <= 40; ++round) {
      for (int member = 0; member < set.size; ++member)
        p(world.as("p"), &cells[static_cast<std::size_t>(set.me())], round, set.pe_of(member));
      barrier_set(world.as("barrier"), set.start, set.log_stride, set.size, set.sync());
      for (int member = 0; member < set.size; ++member)
        ASSERT_EQ(cells[static_cast<std::size_t>(member)], round);
      barrier_set(world.as("barrier"), set.start, set.log_stride, set.size, set.sync());
    }
  });
  world.free(cells);
}

// One array is enough for any number of calls, of both kinds.
RANK_TEST(nobody_leaves_a_sync_of_a_set_before_all_have_come, ranks(1)) {
  const auto round_of_rank = world.allocate<long>();
  for_each_set(world, [&](Set& set) {
    for (long round = 1; round <= 40; ++round) {
      atomic<AtomicOp::swap>(world.as("set"), round_of_rank.data(), round, world.me());
      sync_set(world.as("sync"), set.start, set.log_stride, set.size, set.sync());
      for (int member = 0; member < set.size; ++member)
        ASSERT_EQ(g(world.as("g"), round_of_rank.data(), set.pe_of(member)), round);
      barrier_set(world.as("barrier"), set.start, set.log_stride, set.size, set.sync());
    }
  });
  world.free(round_of_rank);
}

RANK_TEST(a_broadcast_in_a_set_leaves_the_dest_of_the_root_alone, ranks(1)) {
  const auto source = world.allocate<int>(3'000);
  const auto dest = world.allocate<int>(3'000);
  for_each_set(world, [&](Set& set) {
    for (int root = 0; root < set.size; ++root) {
      std::ranges::fill(source, world.me() + 100);
      std::ranges::fill(dest, -1);
      set.make_ready();
      // Elements of 4 and of 8 bytes.
      if (root % 2 == 0)
        broadcast_set<4>(world.as("broadcast"), dest.data(), source.data(), 2'000, root, set.start,
                         set.log_stride, set.size, set.sync_in_turn());
      else
        broadcast_set<8>(world.as("broadcast"), dest.data(), source.data(), 1'000, root, set.start,
                         set.log_stride, set.size, set.sync_in_turn());
      const int expected = set.me() == root ? -1 : set.pe_of(root) + 100;
      EXPECT_TRUE(std::ranges::all_of(dest.first(2'000), [&](int x) { return x == expected; }));
      EXPECT_EQ(dest[2'000], -1);
    }
  });
  world.free(source);
  world.free(dest);
}

RANK_TEST(collects_in_a_set_are_in_the_order_of_its_members, ranks(1)) {
  const auto source = world.allocate<long>(500);
  const auto dest = world.allocate<long>(500 * static_cast<std::size_t>(world.size()));
  for_each_set(world, [&](Set& set) {
    for (const std::size_t most : {1UL, 500UL}) {
      std::ranges::fill(source, world.me());
      std::vector<long> equal;
      std::vector<long> growing;
      for (int member = 0; member < set.size; ++member) {
        equal.insert(equal.end(), most, set.pe_of(member));
        growing.insert(growing.end(), most * static_cast<std::size_t>(member % 2),
                       set.pe_of(member));
      }
      set.make_ready();
      fcollect_set<8>(world.as("fcollect"), dest.data(), source.data(), most, set.start,
                      set.log_stride, set.size, set.sync_in_turn());
      EXPECT_TRUE(std::ranges::equal(dest.first(equal.size()), equal));
      set.make_ready();
      collect_set<8>(world.as("collect"), dest.data(), source.data(),
                     most * static_cast<std::size_t>(set.me() % 2), set.start, set.log_stride,
                     set.size, set.sync_in_turn());
      EXPECT_TRUE(std::ranges::equal(dest.first(growing.size()), growing));
    }
  });
  world.free(source);
  world.free(dest);
}

// The rounds of a test in which members of a set call collectives of all kinds without a barrier.
// Each round uses one of two pSync arrays, and one of two dests, which its owner clears after use.
class Turns {
 public:
  Turns(World& world, Set& set, std::size_t most)
      : world_(world),
        set_(set),
        source_(world.allocate<int>(most * size())),
        work_(world.allocate<int>(most)),
        dests_{world.allocate<int>(most * size()), world.allocate<int>(most * size())} {
    for (const std::span<int> dest : dests_) std::ranges::fill(dest, -1);
  }
  ~Turns() {
    world_.free(dests_[1]);
    world_.free(dests_[0]);
    world_.free(work_);
    world_.free(source_);
  }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  void run(int round, std::size_t count) {
    const std::span<int> dest = dests_[static_cast<std::size_t>(round % 2)];
    std::ranges::fill(source_, value(round, set_.me()));
    const std::vector<int> expected = call(round, count, dest.data());
    const bool is_slow = round % set_.size == set_.me();
    if (is_slow) std::this_thread::sleep_for(std::chrono::microseconds(300));
    ASSERT_TRUE(std::ranges::equal(dest.first(expected.size()), expected))
        << "round " << round << ", " << count << " elements";
    std::ranges::fill(dest.first(expected.size()), -1);
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(set_.size); }
  static int value(int round, int member) { return round * 100 + member; }

  // Returns what the dest then holds.
  std::vector<int> call(int round, std::size_t count, int* dest) {
    constexpr int kinds = 5;
    const int root = round / 3 % set_.size;
    std::vector<int> blocks;
    for (int member = 0; member < set_.size; ++member)
      blocks.insert(blocks.end(), count, value(round, member));
    const auto in_set = [&](auto call, auto... arguments) {
      call(dest, source_.data(), arguments..., set_.start, set_.log_stride, set_.size,
           set_.sync_in_turn());
    };
    switch (round * round % kinds) {  // 0, 1 and 4 of 5
      case 0:
        in_set([&](auto... all) { fcollect_set<4>(world_.as("fcollect"), all...); }, count);
        return blocks;
      case 1:
        in_set([&](auto... all) { broadcast_set<4>(world_.as("broadcast"), all...); }, count, root);
        return std::vector<int>(count, set_.me() == root ? -1 : value(round, root));
      default:
        break;
    }
    switch (round / kinds % 3) {
      case 0:
        in_set([&](auto... all) { alltoall_set<4>(world_.as("alltoall"), all...); }, count);
        return blocks;
      case 1:
        in_set([&](auto... all) { collect_set<4>(world_.as("collect"), all...); }, count);
        return blocks;
      default:
        reduce_set<CombineOp::max>(world_.as("reduce"), dest, source_.data(),
                                   static_cast<int>(count), set_.start, set_.log_stride, set_.size,
                                   work_.data(), set_.sync_in_turn());
        return std::vector<int>(count, value(round, set_.size - 1));
    }
  }

  World& world_;
  Set& set_;
  std::span<int> source_;
  std::span<int> work_;
  std::array<std::span<int>, 2> dests_;
};

// The standard leaves it to programs that every dest is ready. Many rely on the two arrays.
RANK_TEST(no_member_of_a_set_overtakes_another_by_two_collectives, ranks(2)) {
  constexpr std::size_t most = 8'096;
  Set set(world, 0, 0, world.size());
  Turns turns(world, set, most);
  world.barrier();
  for (int round = 0; round < 60; ++round) turns.run(round, round < 45 ? 8 : most);
  world.barrier();
}

RANK_TEST(all_to_alls_in_a_set_exchange_every_block, ranks(1)) {
  const auto size = static_cast<std::size_t>(world.size());
  const auto source = world.allocate<int>(2 * 10 * size);
  const auto dest = world.allocate<int>(3 * 10 * size);
  const auto value = [](int from, int to, std::size_t i) {
    return from * 1'000 + to * 50 + static_cast<int>(i);
  };
  const auto check = [&](Set& set, std::size_t dst, std::size_t sst) {
    std::vector<int> expected(dest.size(), -1);
    std::ranges::fill(dest, -1);
    for (int member = 0; member < set.size; ++member) {
      for (std::size_t i = 0; i < 10; ++i) {
        const std::size_t element = static_cast<std::size_t>(member) * 10 + i;
        source[element * sst] = value(set.me(), member, i);
        expected[element * dst] = value(member, set.me(), i);
      }
    }
    set.make_ready();
    if (dst == 1 && sst == 1)
      alltoall_set<4>(world.as("alltoall"), dest.data(), source.data(), 10, set.start,
                      set.log_stride, set.size, set.sync_in_turn());
    else
      alltoalls_set<4>(world.as("alltoalls"), dest.data(), source.data(),
                       static_cast<std::ptrdiff_t>(dst), static_cast<std::ptrdiff_t>(sst), 10,
                       set.start, set.log_stride, set.size, set.sync_in_turn());
    EXPECT_TRUE(std::ranges::equal(dest, expected));
  };
  for_each_set(world, [&](Set& set) {
    check(set, 1, 1);
    check(set, 3, 2);
  });
  world.free(source);
  world.free(dest);
}

template <CombineOp Op, typename T>
void reduce_checked(World& world, Set& set, std::span<T> dest, std::span<T> source,
                    std::span<T> work) {
  const auto term = [](int pe, std::size_t i) {
    const std::size_t value = 1 + (static_cast<std::size_t>(pe) * 5 + i) % 3;
    return static_cast<T>(value);
  };
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = term(world.me(), i);
  reduce_set<Op, T>(world.as("reduce"), dest.data(), source.data(), static_cast<int>(source.size()),
                    set.start, set.log_stride, set.size, work.data(), set.sync_in_turn());
  for (std::size_t i = 0; i < source.size(); ++i) {
    T expected = term(set.pe_of(0), i);
    for (int member = 1; member < set.size; ++member)
      expected = combined<Op>(expected, term(set.pe_of(member), i));
    ASSERT_EQ(dest[i], expected) << i;
  }
}

template <typename T, CombineOp... Ops>
void reduces_by_all(World& world) {
  const auto source = world.allocate<T>(2'000);
  const auto dest = world.allocate<T>(2'000);
  const auto work = world.allocate<T>(2'000 / 2 + SHMEM_REDUCE_MIN_WRKDATA_SIZE);
  for_each_set(world, [&](Set& set) {
    (reduce_checked<Ops, T>(world, set, dest, source, work), ...);
    (reduce_checked<Ops, T>(world, set, source, source, work), ...);  // in place
  });
  world.free(source);
  world.free(dest);
  world.free(work);
}

RANK_TEST(every_operation_reduces_in_a_set, ranks(1)) {
  using enum CombineOp;
  reduces_by_all<long, bit_and, bit_or, bit_xor, max, min, sum, prod>(world);
  reduces_by_all<short, bit_and, bit_or, bit_xor, max, min, sum, prod>(world);
  reduces_by_all<double, max, min, sum, prod>(world);
}

RANK_TEST(sets_that_share_no_member_may_work_at_once, ranks(2)) {
  const auto sync = world.allocate<long>(SHMEM_REDUCE_SYNC_SIZE);
  const auto value = world.allocate<long>();
  const auto work = world.allocate<long>(SHMEM_REDUCE_MIN_WRKDATA_SIZE);
  const int start = world.me() % 2;
  const int size = (world.size() + 1 - start) / 2;
  for (int round = 0; round < 50; ++round) {
    value[0] = world.me();
    reduce_set<CombineOp::sum, long>(world.as("sum"), value.data(), value.data(), 1, start, 1, size,
                                     work.data(), sync.data());
    ASSERT_EQ(value[0], long{size} * (size - 1) + long{start} * size);
    barrier_set(world.as("barrier"), start, 1, size, sync.data());
  }
  world.barrier();
  world.free(sync);
  world.free(work);
  world.free(value);
}

// Threads use the same ranks at once, each with its own array.
RANK_TEST(threads_reduce_in_equal_sets_with_arrays_of_their_own, ranks(2).with_threads()) {
  constexpr std::size_t threads = 3;
  const auto arrays = world.allocate<long>(threads * SHMEM_REDUCE_SYNC_SIZE);
  const auto cells = world.allocate<long>(2 * threads);
  std::vector<std::thread> running;
  for (std::size_t thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] {
      long* source = &cells[thread];
      long* dest = &cells[threads + thread];
      for (long round = 0; round < 200; ++round) {
        *source = round + static_cast<long>(thread) * 1'000;
        reduce_set<CombineOp::sum, long>(world.as("reduce"), dest, source, 1, 0, 0, world.size(),
                                         source, &arrays[thread * SHMEM_REDUCE_SYNC_SIZE]);
        ASSERT_EQ(*dest, *source * world.size());
      }
    });
  for (std::thread& each : running) each.join();
  world.barrier();
  EXPECT_TRUE(std::ranges::all_of(arrays, [](long x) { return x == SHMEM_SYNC_VALUE; }));
  world.free(cells);
  world.free(arrays);
}

// The first sets get teams, the others none. Ranks use different numbers of sets.
RANK_TEST(more_sets_may_be_used_than_there_are_teams, ranks(2)) {
  constexpr std::size_t sets = 70;
  const auto arrays = world.allocate<long>(sets * SHMEM_REDUCE_SYNC_SIZE);
  const auto cells = world.allocate<long>(2);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t set = 0; set < sets; ++set) {
      const int first =
          static_cast<int>(set) % (world.size() - 1);  // ranks before it are not in it
      if (world.me() < first) continue;
      cells[0] = world.me() + static_cast<long>(set);
      reduce_set<CombineOp::max, long>(world.as("reduce"), &cells[1], cells.data(), 1, first, 0,
                                       world.size() - first, cells.data(),
                                       &arrays[set * SHMEM_REDUCE_SYNC_SIZE]);
      ASSERT_EQ(cells[1], world.size() - 1 + static_cast<long>(set));
    }
  }
  world.barrier();
  EXPECT_TRUE(std::ranges::all_of(arrays, [](long x) { return x == SHMEM_SYNC_VALUE; }));
  const Members all{0, 1, static_cast<std::uint32_t>(world.size())};
  Engine& engine = world.engine();
  const Result<Team*> team = engine.collectives().split(engine.teams().world(), "split", all);
  ASSERT_TRUE(team);  // numbers are left for the program's teams
  engine.collectives().destroy(**team, "destroy");
  world.free(cells);
  world.free(arrays);
}

}  // namespace
}  // namespace gondwana::test
