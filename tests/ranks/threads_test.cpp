// SHMEM_THREAD_MULTIPLE: several threads of each rank call the library at once.
#include <functional>
#include <thread>
#include <vector>

#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

constexpr int thread_count = 8;

// Runs body(0) to body(count - 1), each in a thread. A test that gives up ends the program.
void in_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
}

bool over_memory(World& world, const void* object) {
  return world.engine().rma().pointer_to(Rank(static_cast<std::uint32_t>(world.right())), object) !=
         nullptr;
}

// A million where an operation takes a few instructions, fewer over a wire or under sanitizers.
int operations(World& world, const void* object) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return over_memory(world, object) ? 20'000 : 500;
#else
  return over_memory(world, object) ? 1'000'000 : 2'000;
#endif
}

// The work of one thread on cells that only it writes, and on a shared counter.
class MixedWork {
 public:
  static constexpr std::size_t own_cells = 16;

  MixedWork(World& world, std::span<long> cells, int thread)
      : world_(&world),
        mine_(cells.subspan(1 + static_cast<std::size_t>(thread) * own_cells, own_cells)),
        counter_(cells.data()),
        random_(world.seed() * 1000 + static_cast<std::uint64_t>(thread)) {}

  // Uses the context that the caller chose.
  void step(const Caller& through) {
    const std::size_t at = random_() % own_cells;
    switch (random_() % 8) {
      case 0:
      case 1:
        p(through, &mine_[at], expected_[at] = next(), world_->right());
        break;
      case 2: {
        const long values[] = {next(), next() + 1, next() + 2};
        if (at + 3 > own_cells) break;
        std::ranges::copy(values, expected_.begin() + static_cast<std::ptrdiff_t>(at));
        put<8>(through, &mine_[at], values, 3, world_->right());
        break;
      }
      case 3:
        atomic<AtomicOp::add>(through, counter_, 1L, world_->right());
        ++added_;
        break;
      case 4:
        atomic_set(through, &mine_[at], expected_[at] = next(), world_->right());
        break;
      case 5:
        quiet(through);
        wrong_ += g(through, &mine_[at], world_->right()) != expected_[at] ? 1 : 0;
        break;
      case 6:
        wrong_ += atomic_fetch(through, &mine_[at], world_->right()) != expected_[at] ? 1 : 0;
        break;
      default:
        quiet(through);
        check_all(through);
    }
  }

  void check_all(const Caller& through) {
    std::array<long, own_cells> seen{};
    get<8>(through, seen.data(), mine_.data(), own_cells, world_->right());
    wrong_ += seen != expected_ ? 1 : 0;
  }

  long added() const { return added_; }
  long wrong() const { return wrong_; }

 private:
  long next() { return ++last_; }

  World* world_;
  std::span<long> mine_;
  long* counter_;
  std::mt19937_64 random_;
  std::array<long, own_cells> expected_{};
  long last_ = 0;
  long added_ = 0;
  long wrong_ = 0;
};

enum class Through : std::uint8_t { default_context, shared_context, own_context };

// Each thread keeps to one context: operations of different contexts are not ordered.
void mix_operations(World& world, Through way) {
  const auto cells = world.allocate<long>(1 + thread_count * MixedWork::own_cells);
  const auto totals = world.allocate<long>(2);
  const int count = operations(world, cells.data());
  shmem_ctx_t shared = SHMEM_CTX_DEFAULT;
  if (way == Through::shared_context) {
    ASSERT_EQ(ctx_create(world.as("create"), 0, &shared), 0);
  }
  std::atomic<long> added{0};
  std::atomic<long> wrong{0};
  in_threads(thread_count, [&](int thread) {
    shmem_ctx_t context = shared;
    if (way == Through::own_context) ctx_create(world.as("create"), SHMEM_CTX_PRIVATE, &context);
    MixedWork work(world, cells, thread);
    for (int i = 0; i < count; ++i) work.step(world.in(context, "step"));
    quiet(world.in(context, "quiet"));
    work.check_all(world.in(context, "check"));
    added += work.added();
    wrong += work.wrong();
    if (way == Through::own_context) ctx_destroy(world.as("destroy"), context);
  });
  EXPECT_EQ(wrong.load(), 0) << "seed " << world.seed();
  totals[0] = added.load();
  world.barrier();
  EXPECT_EQ(cells[0], g(world.as("g"), &totals[0], world.left()));
  if (way == Through::shared_context) ctx_destroy(world.as("destroy"), shared);
  world.free(totals);
  world.free(cells);
}

RANK_TEST(threads_share_the_default_context, ranks(1).with_threads()) {
  mix_operations(world, Through::default_context);
}

RANK_TEST(threads_share_a_context, ranks(1).with_threads()) {
  mix_operations(world, Through::shared_context);
}

RANK_TEST(each_thread_has_a_context_of_its_own, ranks(1).with_threads()) {
  mix_operations(world, Through::own_context);
}

RANK_TEST(operations_of_all_threads_are_counted, ranks(1).with_threads()) {
  const auto cells = world.allocate<long>(thread_count);
  const ThreadSlots& threads = world.engine().memory().threads(world.engine().rank());
  const std::uint64_t before = threads.count(Count::puts);
  in_threads(thread_count, [&](int thread) {
    for (long i = 0; i < 1000; ++i) p(world.as("p"), &cells[thread], i, world.me());
  });
  EXPECT_EQ(threads.count(Count::puts) - before, thread_count * 1000U);
  world.barrier();
  world.free(cells);
}

RANK_TEST(threads_wait_for_different_cells_at_once, ranks(1).with_threads()) {
  const auto cells = world.allocate<long>(thread_count);
  in_threads(thread_count, [&](int thread) {
    for (long round = 1; round <= 50; ++round) {
      p(world.as("p"), &cells[thread], round, world.right());
      quiet(world.as("quiet"));
      wait_until(world.as("wait"), &cells[thread], SHMEM_CMP_GE, round);
    }
  });
  world.barrier();
  world.free(cells);
}

// The threads split and use teams in an order that differs between ranks.
RANK_TEST(threads_use_and_split_different_teams_at_once, ranks(1).with_threads()) {
  constexpr int teams = 4;
  std::vector<shmem_team_t> parents(teams);
  for (shmem_team_t& parent : parents)
    team_split_strided(world.as("split"), SHMEM_TEAM_WORLD, 0, 1, world.size(), nullptr, 0,
                       &parent);
  const auto cells = world.allocate<long>(2 * teams);
  in_threads(teams, [&](int thread) {
    const auto own = cells.subspan(static_cast<std::size_t>(thread) * 2, 2);
    for (int round = 0; round < 20; ++round) {
      shmem_team_t child = SHMEM_TEAM_INVALID;
      ASSERT_EQ(team_split_strided(world.as("split"), parents[thread], world.size() - 1, -1,
                                   world.size(), nullptr, 0, &child),
                0);
      own[0] = world.me() + round;
      team_sync(world.as("sync"), child);
      reduce<CombineOp::sum>(world.as("sum"), child, &own[1], &own[0], 1);
      const long n = world.size();
      EXPECT_EQ(own[1], n * (n - 1) / 2 + n * round);
      team_sync(world.as("sync"), child);
      team_destroy(world.as("destroy"), child);
    }
  });
  for (const shmem_team_t parent : parents) team_destroy(world.as("destroy"), parent);
  world.barrier();
  world.free(cells);
}

RANK_TEST(contexts_are_made_and_destroyed_by_many_threads, ranks(1).with_threads()) {
  const auto cells = world.allocate<long>(thread_count);
  in_threads(thread_count, [&](int thread) {
    for (long round = 1; round <= 100; ++round) {
      shmem_ctx_t context = SHMEM_CTX_INVALID;
      const long options = round % 2 == 0 ? SHMEM_CTX_PRIVATE : 0;
      ASSERT_EQ(ctx_create(world.as("create"), options, &context), 0);
      p(world.in(context, "p"), &cells[thread], round, world.right());
      ctx_destroy(world.as("destroy"), context);
      EXPECT_EQ(g(world.as("g"), &cells[thread], world.right()), round);
    }
  });
  world.barrier();
  world.free(cells);
}

}  // namespace
}  // namespace gondwana::test
