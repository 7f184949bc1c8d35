#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "engine_setup.hpp"
#include "support/nodes.hpp"
#include "whole_job.hpp"

namespace gondwana::scale {
namespace {

constexpr std::uint32_t ranks = 4;

// What rank 0 sends in a barrier of a job in which all ranks are engines, each on its own node with
// a node agent.
std::uint64_t sent_in_a_barrier() {
  const test::JobNodes nodes(test::Over::agents, ranks, 1, 1);
  std::atomic<std::uint64_t> sent{0};
  std::vector<std::jthread> threads;
  threads.reserve(ranks);
  for (std::uint32_t number = 0; number < ranks; ++number) {
    threads.emplace_back([&, number] {
      const Rank me{number};
      Engine::Setup setup = engine_setup(me, nodes.home(me));
      setup.wire = nodes.wire(me);
      const auto engine = test::get_or_abort(Engine::create(std::move(setup)));
      Team& world = engine->teams().world();
      const std::atomic<std::uint64_t>& count = nodes.home(me)->page(me).traffic.sent;
      const std::uint64_t before = count.load();
      engine->collectives().sync(world, "barrier");
      if (number == 0) sent = count.load() - before;
      engine->collectives().sync(world, "barrier");
    });
  }
  threads.clear();  // joins
  return sent;
}

TEST(SimulatedNodes, a_rank_sends_what_it_sends_among_engines) {
  if (!test::has_network()) GTEST_SKIP() << "no libfabric here";
  const Result<Figures> figures = measure_whole_job({ranks, 1});
  ASSERT_TRUE(figures) << figures.error().text;
  EXPECT_EQ(figures->nodes, ranks);
  EXPECT_EQ(figures->barrier.messages, sent_in_a_barrier());
}

TEST(SimulatedNodes, the_last_node_has_the_ranks_that_are_left) {
  const JobShape shape(12, 4);
  EXPECT_EQ(shape.nodes(), 4U);
  EXPECT_EQ(shape.node(0).ranks, 1U);
  EXPECT_EQ(shape.node(3).first, 9U);
  EXPECT_EQ(shape.node(3).ranks, 3U);
}

}  // namespace
}  // namespace gondwana::scale
