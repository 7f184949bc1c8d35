// Runs the rank tests of the GASNet-EX door:  gasnet_rank_tests --ranks=4
// [--threads=seq|parsync|par] [--over=memory|nodes|faulty-nodes|ofi|ofi-alone] [--seed=N]. With
// parsync and par, any thread of a rank may call and run handlers. With parsync each test runs on a
// different thread than the one that joined. tests/support/rank_main.cpp explains --over.
#include <charconv>
#include <map>
#include <string_view>
#include <thread>

#include "ranks/gasnet/world.hpp"
#include "support/nodes.hpp"

namespace gondwana::gasnet {
namespace {

thread_local Door* door_of_thread = nullptr;

}  // namespace

Door& door() {
  return *door_of_thread;
}

Door* find_door() {
  return door_of_thread;
}

void give_up(CallName call, const std::string& sentence) {
  throw test::GaveUp(fmt::format("{}: {}", call, sentence));
}

namespace test {
namespace {

using gondwana::test::get_or_abort;
using gondwana::test::JobNodes;
using gondwana::test::Over;

struct Form {
  Over over = Over::memory;
  std::uint32_t ranks = 2;
  ThreadMode threads = ThreadMode::seq;
  std::uint64_t seed = 1;
};

Form& form() {
  static Form instance;
  return instance;
}

std::unique_ptr<Engine> engine_of(const JobNodes& nodes, Rank rank) {
  Engine::Setup setup;
  setup.rank = rank;
  setup.ranks = form().ranks;
  setup.memory = nodes.home(rank);
  setup.wire = nodes.wire(rank);
  setup.kinds = nodes.kinds();
  setup.options.heap_size = std::size_t{1} << 20;
  setup.threads = form().threads == ThreadMode::seq ? Threads::one_at_a_time : Threads::many;
  return get_or_abort(Engine::create(std::move(setup)));
}

// An exception would leave the other ranks waiting.
void call(Body body, World& world) {
  try {
    adopt(world);
    body(world);
    world.barrier();
  } catch (const std::exception& failure) {
    fmt::print(stderr, "rank {}: {}\n", world.me(), failure.what());
    std::abort();
  }
}

void be_rank(const JobNodes& nodes, Rank rank, bool checks, Body body) {
  const std::unique_ptr<Engine> engine = engine_of(nodes, rank);
  Door own({.engine = engine.get(), .threads = form().threads, .checks = checks});
  door_of_thread = &own;
  own.join("TEST", 0);
  World world{own.client(), own.endpoints().first(), own.teams().world(),
              std::mt19937_64(form().seed + index(rank)), form().over == Over::faulty_nodes};
  if (form().threads == ThreadMode::parsync)
    std::jthread([&] { call(body, world); }).join();
  else
    call(body, world);
}

}  // namespace

void World::barrier() {
  Team::of(team).meet("barrier");
}

std::byte* World::attach(std::size_t size) {
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  EXPECT_EQ(gex_Segment_Attach(&segment, team, size), GASNET_OK);
  return static_cast<std::byte*>(gex_Segment_QueryAddr(segment));
}

std::byte* World::segment_of(gex_Rank_t rank) const {
  void* address = nullptr;
  EXPECT_EQ(gex_Segment_QueryBound(team, rank, &address, nullptr, nullptr), GASNET_OK);
  return static_cast<std::byte*>(address);
}

void World::add_handler(gex_AM_Index_t index, gex_AM_Fn_t function, gex_Flags_t flags,
                        unsigned arguments) {
  gex_AM_Entry_t entry{index, function, flags, arguments, nullptr, "test"};
  EXPECT_EQ(gex_EP_RegisterHandlers(endpoint, &entry, 1), GASNET_OK);
}

void adopt(World& world) {
  door_of_thread = world.client->door;
}

void run(Needs needs, Body body) {
  if (form().ranks < needs.ranks)
    GTEST_SKIP() << "needs " << needs.ranks << " ranks, this run has " << form().ranks;
  const JobNodes nodes(form().over, form().ranks, form().seed);
  std::vector<std::jthread> threads;
  threads.reserve(form().ranks);
  for (std::uint32_t i = 0; i < form().ranks; ++i)
    threads.emplace_back([&, i] { be_rank(nodes, Rank(i), needs.checks, body); });
}

namespace {

template <typename Number>
bool take_number(std::string_view argument, std::string_view name, Number& value) {
  if (!argument.starts_with(name)) return false;
  argument.remove_prefix(name.size());
  const char* end = argument.data() + argument.size();
  return std::from_chars(argument.data(), end, value).ptr == end;
}

// The door requires common memory within a node.
bool take_over(std::string_view name) {
  const std::optional<Over> over = gondwana::test::over_of(name);
  if (!over || (*over != Over::memory && !gondwana::test::has_nodes(*over))) return false;
  form().over = *over;
  return true;
}

bool take_threads(std::string_view name) {
  const std::map<std::string_view, ThreadMode> modes{
      {"seq", ThreadMode::seq}, {"parsync", ThreadMode::parsync}, {"par", ThreadMode::par}};
  const auto found = modes.find(name);
  if (found == modes.end()) return false;
  form().threads = found->second;
  return true;
}

bool take(std::string_view argument) {
  if (argument.starts_with("--over=")) return take_over(argument.substr(7));
  if (argument.starts_with("--threads=")) return take_threads(argument.substr(10));
  return take_number(argument, "--ranks=", form().ranks) ||
         take_number(argument, "--seed=", form().seed);
}

}  // namespace
}  // namespace test
}  // namespace gondwana::gasnet

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  using namespace gondwana::gasnet::test;  // NOLINT(google-build-using-namespace)
  for (int i = 1; i < argc; ++i) {
    if (take(argv[i])) continue;
    fmt::print(stderr, "gasnet rank tests: {}: unknown argument\n", argv[i]);
    return 2;
  }
  fmt::print("gasnet rank tests: {} ranks, seed {}\n", form().ranks, form().seed);
  return RUN_ALL_TESTS();
}
