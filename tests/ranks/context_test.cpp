#include <vector>

#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

constexpr long all_options[] = {0, SHMEM_CTX_PRIVATE, SHMEM_CTX_SERIALIZED, SHMEM_CTX_NOSTORE,
                                SHMEM_CTX_SERIALIZED | SHMEM_CTX_NOSTORE};

shmem_ctx_t make_context(World& world, long options) {
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  EXPECT_EQ(ctx_create(world.as("create"), options, &context), 0);
  return context;
}

RANK_TEST(every_call_works_through_a_context_of_any_kind, ranks(1)) {
  const auto cells = world.allocate<long>(8);
  const std::vector<long> values{1, 2, 3, 4};
  for (const long options : all_options) {
    const shmem_ctx_t context = make_context(world, options);
    const auto in = [&](CallName name) { return world.in(context, name); };
    p(in("p"), &cells[0], 7L, world.right());
    put<8>(in("put"), &cells[1], values.data(), values.size(), world.right());
    atomic<AtomicOp::add>(in("add"), &cells[5], 5L, world.right());
    quiet(in("quiet"));
    EXPECT_EQ(g(in("g"), &cells[0], world.right()), 7);
    EXPECT_EQ(atomic_fetch(in("fetch"), &cells[5], world.right()), 5);
    std::vector<long> back(4);
    get<8>(in("get"), back.data(), &cells[1], back.size(), world.right());
    EXPECT_EQ(back, values);
    world.barrier();
    std::ranges::fill(cells, 0);
    fence(in("fence"));
    ctx_destroy(world.as("destroy"), context);
    world.barrier();
  }
  world.free(cells);
}

RANK_TEST(all_contexts_are_completed_before_the_library_ends, ranks(1)) {
  constexpr std::size_t count = 5000;
  const auto cells = world.allocate<long>(3 * count);
  const std::vector<long> values(count, world.me() + 1);
  std::vector<shmem_ctx_t> contexts;
  for (std::size_t i = 0; i < 3; ++i) {
    contexts.push_back(make_context(world, i == 0 ? SHMEM_CTX_SERIALIZED : 0));
    put_nbi<8>(world.in(contexts[i], "put"), &cells[i * count], values.data(), count,
               world.right());
  }
  world.as("finalize").door.contexts().quiet_all();
  world.barrier();
  for (const long cell : cells) EXPECT_EQ(cell, world.left() + 1);
  for (const shmem_ctx_t context : contexts) ctx_destroy(world.as("destroy"), context);
  world.free(cells);
}

RANK_TEST(a_context_of_a_team_counts_as_the_team_does, ranks(1)) {
  const auto cell = world.allocate<long>();
  const int last = world.size() - 1;
  shmem_team_t reversed = SHMEM_TEAM_INVALID;
  team_split_strided(world.as("split"), SHMEM_TEAM_WORLD, last, -1, world.size(), nullptr, 0,
                     &reversed);
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  ASSERT_EQ(team_create_ctx(world.as("create"), reversed, 0, &context), 0);
  p(world.in(context, "p"), cell.data(), 100L + world.me(), world.me());
  quiet(world.in(context, "quiet"));
  world.barrier();
  EXPECT_EQ(cell[0], 100 + last - world.me());
  EXPECT_EQ(g(world.in(context, "g"), cell.data(), last), g(world.as("g"), cell.data(), 0));
  EXPECT_THROW(p(world.in(context, "p"), cell.data(), 0L, world.size()), GaveUp);
  EXPECT_THROW(p(world.in(context, "p"), cell.data(), 0L, -1), GaveUp);
  world.barrier();
  ctx_destroy(world.as("destroy"), context);
  team_destroy(world.as("destroy"), reversed);
  world.free(cell);
}

RANK_TEST(a_context_knows_its_team, ranks(1)) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  team_split_strided(world.as("split"), SHMEM_TEAM_WORLD, 0, 1, world.size(), nullptr, 0, &team);
  shmem_ctx_t of_team = SHMEM_CTX_INVALID;
  ASSERT_EQ(team_create_ctx(world.as("create"), team, 0, &of_team), 0);
  const shmem_ctx_t of_world = make_context(world, 0);
  shmem_team_t answer = SHMEM_TEAM_INVALID;
  EXPECT_EQ(ctx_get_team(world.as("get_team"), of_team, &answer), 0);
  EXPECT_EQ(answer, team);
  EXPECT_EQ(ctx_get_team(world.as("get_team"), of_world, &answer), 0);
  EXPECT_EQ(answer, SHMEM_TEAM_WORLD);
  EXPECT_EQ(ctx_get_team(world.as("get_team"), SHMEM_CTX_DEFAULT, &answer), 0);
  EXPECT_EQ(answer, SHMEM_TEAM_WORLD);
  EXPECT_NE(ctx_get_team(world.as("get_team"), SHMEM_CTX_INVALID, &answer), 0);
  EXPECT_EQ(answer, SHMEM_TEAM_INVALID);
  ctx_destroy(world.as("destroy"), of_team);
  ctx_destroy(world.as("destroy"), of_world);
  team_destroy(world.as("destroy"), team);
}

RANK_TEST(the_end_of_a_team_ends_its_contexts, ranks(1)) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  team_split_strided(world.as("split"), SHMEM_TEAM_WORLD, 0, 1, world.size(), nullptr, 0, &team);
  shmem_ctx_t context = SHMEM_CTX_INVALID;
  ASSERT_EQ(team_create_ctx(world.as("create"), team, 0, &context), 0);
  team_destroy(world.as("destroy"), team);
  EXPECT_THROW(ctx_destroy(world.as("destroy"), context), GaveUp);
}

RANK_TEST(a_context_of_no_team_cannot_be_made, ranks(1)) {
  shmem_ctx_t context = SHMEM_CTX_DEFAULT;
  EXPECT_NE(team_create_ctx(world.as("create"), SHMEM_TEAM_INVALID, 0, &context), 0);
  EXPECT_EQ(context, SHMEM_CTX_INVALID);
}

RANK_TEST(a_context_that_is_gone_is_refused, ranks(1)) {
  const shmem_ctx_t context = make_context(world, 0);
  ctx_destroy(world.as("destroy"), context);
  EXPECT_THROW(ctx_destroy(world.as("destroy"), context), GaveUp);
  EXPECT_THROW(ctx_destroy(world.as("destroy"), SHMEM_CTX_DEFAULT), GaveUp);
  ctx_destroy(world.as("destroy"), SHMEM_CTX_INVALID);
}

RANK_TEST(there_are_contexts_until_there_is_none_left, ranks(1)) {
  std::vector<shmem_ctx_t> contexts;
  for (;;) {
    shmem_ctx_t context = SHMEM_CTX_INVALID;
    if (ctx_create(world.as("create"), SHMEM_CTX_PRIVATE, &context) != 0) {
      EXPECT_EQ(context, SHMEM_CTX_INVALID);
      break;
    }
    contexts.push_back(context);
    ASSERT_LT(contexts.size(), Contexts::limit);
  }
  EXPECT_GT(contexts.size(), 16000U);
  for (const shmem_ctx_t context : contexts) ctx_destroy(world.as("destroy"), context);
  ctx_destroy(world.as("destroy"), make_context(world, SHMEM_CTX_PRIVATE));
}

RANK_TEST(a_session_changes_nothing_that_can_be_seen, ranks(1)) {
  const auto cell = world.allocate<long>();
  const shmem_ctx_t context = make_context(world, 0);
  const shmem_ctx_session_config_t config{.total_ops = 100};
  ctx_session_start(world.as("start"), context, SHMEM_CTX_SESSION_BATCH, &config,
                    SHMEM_CTX_SESSION_TOTAL_OPS);
  ctx_session_start(world.as("start"), context, 0, nullptr, 0);
  for (long i = 1; i <= 100; ++i) p(world.in(context, "p"), cell.data(), i, world.right());
  ctx_session_stop(world.as("stop"), context);
  quiet(world.in(context, "quiet"));
  world.barrier();
  EXPECT_EQ(cell[0], 100);
  ctx_session_start(world.as("start"), SHMEM_CTX_INVALID, 0, nullptr, 0);
  ctx_session_stop(world.as("stop"), SHMEM_CTX_INVALID);
  ctx_destroy(world.as("destroy"), context);
  world.free(cell);
}

// The end of a context ends its session, too: later operations do not gather for it.
RANK_TEST(sessions_of_several_contexts_overlap, ranks(1)) {
  constexpr std::size_t count = 3000;
  const auto cells = world.allocate<long>(2 * count);
  const std::vector<long> values(count, world.me() + 1);
  const shmem_ctx_t context = make_context(world, 0);
  ctx_session_start(world.as("start"), context, SHMEM_CTX_SESSION_BATCH, nullptr, 0);
  ctx_session_start(world.as("start"), SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, nullptr, 0);
  for (std::size_t i = 0; i < count; ++i) {
    put_nbi<8>(world.in(context, "put"), &cells[i], &values[i], 1, world.right());
    put_nbi<8>(world.as("put"), &cells[count + i], &values[i], 1, world.right());
  }
  ctx_destroy(world.as("destroy"), context);
  long back = 0;
  get<8>(world.as("get"), &back, &cells[count - 1], 1, world.right());
  EXPECT_EQ(back, world.me() + 1) << "the end of a context completes its operations";
  world.barrier();
  ctx_session_stop(world.as("stop"), SHMEM_CTX_DEFAULT);
  ctx_session_stop(world.as("stop"), SHMEM_CTX_DEFAULT);
  for (const long cell : cells) EXPECT_EQ(cell, world.left() + 1);
  world.barrier();
  world.free(cells);
}

}  // namespace
}  // namespace gondwana::test
