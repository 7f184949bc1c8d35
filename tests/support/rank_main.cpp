// Runs rank tests. The command line chooses the form of the job:
//
//   rank_tests --ranks=4 --over=memory      threads of this process, common memory (the default)
//   rank_tests --ranks=4 --over=wire        the same, everything over the loopback wire
//   rank_tests --ranks=4 --over=faulty      the same, over a wire that delays, refuses and reorders
//   rank_tests --ranks=4 --over=nodes       two nodes: common memory within, the wire between them
//   rank_tests --ranks=4 --over=faulty-nodes    the same, with the wire that delays
//   rank_tests --ranks=4 --over=ofi         two nodes, each with its agent, and a network between:
//                                           libfabric, or the one of GONDWANA_NETWORK_LIBRARY
//   rank_tests --ranks=4 --over=ofi-alone   the same, with one rank per node
//   rank_tests --ranks=4 --over=agents      as ofi, but the agents carry the messages of the ranks
//   gondwana run -n 4 rank_tests --over=processes
//
// --threads=many: engines for many threads of a rank at once. Every test runs with them too.
// --checks: calls are checked, as with SHMEM_DEBUG.
// --algorithm=ring: team collectives use the algorithm of that name, where they have it.
// --seed=N repeats a run; every run prints its seed.

#include <charconv>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "process/open_wire.hpp"
#include "process/process.hpp"
#include "support/absent_door.hpp"
#include "support/nodes.hpp"
#include "support/rank_test.hpp"

namespace gondwana::test {

void fail_call(const std::string& sentence) {
  throw GaveUp(sentence);
}

namespace {

struct Form {
  Over over = Over::memory;
  std::uint32_t ranks = 2;
  std::uint32_t per_node = 0;  // ranks of a node, where there are nodes; 0: two nodes
  Threads threads = Threads::one_at_a_time;
  std::uint64_t seed = 1;
  std::string_view algorithm = "auto";
  bool checks = false;
  std::unique_ptr<Engine> own_engine;  // of this process, where ranks are processes
};

Form& form() {
  static Form instance;
  return instance;
}

// Large, to test offsets beyond 4 GiB; lazy, so untouched pages cost nothing.
Options test_options() {
  Options options;
  options.heap_size = std::size_t{6} << 30;
  options.heap_overcommit = true;
  options.remote_heap = std::size_t{64} << 20;
  options.checks = form().checks;
  for (std::size_t i = 0; i < collectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    const Result<Algorithm> algorithm = parse_algorithm(collective, form().algorithm);
    if (algorithm) options.algorithms.choose(collective, *algorithm);
  }
  return options;
}

std::unique_ptr<Engine> engine_of_thread(const JobNodes& nodes, Rank rank) {
  Engine::Setup setup;
  setup.rank = rank;
  setup.memory = nodes.home(rank);
  setup.ranks = setup.memory->plan().job_ranks;
  setup.options = test_options();
  setup.threads = form().threads;
  setup.use_reach = nodes.use_reach();
  setup.wire = nodes.wire(rank);
  setup.kinds = nodes.kinds();
  return get_or_abort(Engine::create(std::move(setup)));
}

// The process has joined its job before main().
Result<std::unique_ptr<Engine>> engine_of_process() {
  Process& self = this_process();
  if (self.failure) return *self.failure;
  Engine::Setup setup;
  setup.rank = self.membership.rank;
  setup.ranks = self.membership.ranks;
  setup.memory = self.memory;
  setup.globals = self.image.globals;
  setup.program_id = self.image.id;
  self.membership.launcher.take_part();
  setup.options = test_options();
  setup.threads = form().threads;
  const Result<Options> options = read_options(own_environment());
  if (!options) return options.error();
  setup.kinds = std::make_shared<Kinds>(*options);
  Result<std::shared_ptr<RemoteClient>> network =
      open_wire(self.membership, setup.memory, *options);
  if (!network) return network.error();
  self.network = *std::move(network);
  if (self.network != nullptr) setup.wire = Wire(self.network);
  setup.on_lost = [](const Error& error) {
    fmt::print(stderr, "rank tests: {}\n", error.text);
    std::_Exit(1);
  };
  return Engine::create(std::move(setup));
}

// An exception would leave the other ranks waiting in their next barrier.
void run_body(Engine& engine, RankBody body) {
  World world(engine, form().seed);
  try {
    body(world);
    world.barrier();
  } catch (const std::exception& failure) {
    fmt::print(stderr, "rank {}: {}\n", world.me(), failure.what());
    std::abort();
  }
}

void run_as_threads(std::uint32_t count, RankBody body) {
  const JobNodes nodes(form().over, count, form().seed, form().per_node);
  std::vector<std::jthread> threads;
  threads.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const std::unique_ptr<Engine> engine = engine_of_thread(nodes, Rank(i));
      run_body(*engine, body);
    });
  }
}

bool take_option(std::string_view argument, std::string_view name, std::string_view& value) {
  if (!argument.starts_with(name)) return false;
  value = argument.substr(name.size());
  return true;
}

bool is_algorithm(std::string_view name) {
  for (std::size_t i = 0; i < collectives; ++i)
    if (parse_algorithm(static_cast<Collective>(i), name)) return true;
  return false;
}

bool parse_argument(std::string_view argument) {
  std::string_view value;
  const auto number = [&](auto& into) {
    return std::from_chars(value.data(), value.data() + value.size(), into).ec == std::errc{};
  };
  if (take_option(argument, "--threads=", value)) {
    form().threads = Threads::many;
    return value == "many";
  }
  if (argument == "--checks") return form().checks = true;
  if (take_option(argument, "--ranks=", value)) return number(form().ranks);
  if (take_option(argument, "--per-node=", value)) return number(form().per_node);
  if (take_option(argument, "--seed=", value)) return number(form().seed);
  if (take_option(argument, "--algorithm=", form().algorithm))
    return is_algorithm(form().algorithm);
  if (!take_option(argument, "--over=", value)) return false;
  const std::optional<Over> over = over_of(value);
  form().over = over.value_or(form().over);
  return over.has_value();
}

int start() {
  if (form().over == Over::processes) {
    Result<std::unique_ptr<Engine>> engine = engine_of_process();
    if (!engine) {
      fmt::print(stderr, "rank tests: {}\n", engine.error().text);
      return 1;
    }
    form().own_engine = *std::move(engine);
    form().ranks = form().own_engine->ranks();
    if (form().own_engine->rank() != Rank(0)) GTEST_FLAG_SET(brief, true);  // failures only
  }
  fmt::print("rank tests: {} ranks, seed {}\n", form().ranks, form().seed);
  const int status = RUN_ALL_TESTS();
  if (form().own_engine) form().own_engine->announce_state(RankState::finalized);
  return status;
}

}  // namespace

void run_rank_test(Needs needs, RankBody body) {
  if (needs.threads == Threads::many && form().threads != Threads::many)
    GTEST_SKIP() << "needs engines for many threads: --threads=many";
  if (needs.checks == Checks::on && !form().checks)
    GTEST_SKIP() << "needs calls that are checked: --checks";
  if (needs.checks == Checks::off && form().checks)
    GTEST_SKIP() << "needs calls that are not checked: no --checks";
  if (form().ranks < needs.ranks)
    GTEST_SKIP() << "needs " << needs.ranks << " ranks, this run has " << form().ranks;
  if (form().own_engine)
    run_body(*form().own_engine, body);
  else
    run_as_threads(form().ranks, body);
}

}  // namespace gondwana::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (gondwana::test::parse_argument(argv[i])) continue;
    fmt::print(stderr, "rank tests: {}: unknown argument; see tests/support/rank_main.cpp\n",
               argv[i]);
    return 2;
  }
  return gondwana::test::start();
}
