// Runs rank tests. The form of the job is chosen by the command line:
//
//   rank_tests --ranks=4 --over=memory      threads of this process, common memory (the default)
//   rank_tests --ranks=4 --over=wire        the same, everything over the loopback wire
//   rank_tests --ranks=4 --over=faulty      the same, over a wire that delays, refuses and reorders
//   rank_tests --ranks=4 --over=nodes       two nodes: common memory within, the wire between them
//   rank_tests --ranks=4 --over=faulty-nodes    the same, with the wire that delays
//   rank_tests --ranks=4 --over=ofi         two nodes, each with its agent, and libfabric between
//   rank_tests --ranks=4 --over=ofi-alone   the same, every rank a node of its own
//   gondwana run -n 4 rank_tests --over=processes
//
// --threads=many: engines that many threads of a rank may use at once; every test runs with them
// too.
// --checks: calls are checked, as where SHMEM_DEBUG is set.
// --algorithm=ring: collectives of teams go by the algorithm of that name, those that have it.
// --seed=N repeats a run; the seed is printed.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "bootstrap/join.hpp"
#include "core/mapping.hpp"
#include "process/open_wire.hpp"
#include "support/agents.hpp"
#include "support/faulty.hpp"
#include "support/rank_test.hpp"
#include "transport/loopback.hpp"
#include "transport/ofi/ofi.hpp"

namespace gondwana::shmem {

void give_up(CallName name, const std::string& sentence) {
  throw test::GaveUp(fmt::format("{}: {}", name, sentence));
}

void refuse_context(CallName name) {
  give_up(name, "no such context");
}

Door& watched_door(CallName name) {
  give_up(name, "no engine");
}

Door& watched_door(shmem_ctx_t /*context*/, CallName name) {
  give_up(name, "no engine");
}

void give_up_together(CallName name, const std::string& sentence) {
  give_up(name, sentence);
}

constinit Running running;

void give_up(Lane& lane, CallName name) {
  const std::optional<Error> error = lane.take_error();
  give_up(name, error ? error->text : "failed");
}

}  // namespace gondwana::shmem

namespace gondwana::test {
namespace {

enum class Over : std::uint8_t {
  memory,
  wire,
  faulty,
  nodes,
  faulty_nodes,
  ofi,
  ofi_alone,
  processes
};

struct Form {
  Over over = Over::memory;
  std::uint32_t ranks = 2;
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

// Large, so that offsets beyond 4 GiB are met; lazy, so that it costs nothing.
Options test_options() {
  Options options;
  options.heap_size = std::size_t{6} << 30;
  options.heap_overcommit = true;
  options.checks = form().checks;
  for (std::size_t i = 0; i < collectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    const Result<Algorithm> algorithm = parse_algorithm(collective, form().algorithm);
    if (algorithm) options.algorithms.choose(collective, *algorithm);
  }
  return options;
}

bool goes_by_network() {
  return form().over == Over::ofi || form().over == Over::ofi_alone;
}

bool has_nodes() {
  return form().over == Over::nodes || form().over == Over::faulty_nodes || goes_by_network();
}

std::vector<std::unique_ptr<AgentThread>> agents_for(const Nodes& nodes) {
  if (!goes_by_network()) return {};
  return start_agents(nodes);
}

Wire network_for(const Nodes& nodes, Rank rank) {
  const auto home =
      std::ranges::find_if(nodes, [&](const auto& n) { return n->plan().holds(rank); });
  Result<std::unique_ptr<Ofi>> ofi =
      Ofi::open({.memory = *home, .me = rank, .job_tag = job_tag, .settings = loopback_network()});
  if (!ofi) {
    fmt::print(stderr, "rank {}: {}\n", index(rank), ofi.error().text);
    std::abort();
  }
  return Wire(*std::move(ofi));
}

// What the ranks of a job share, beside the agents.
struct Job {
  Nodes nodes;
  std::shared_ptr<Mailboxes> boxes;
};

Wire wire_for(const Job& job, Rank rank) {
  if (goes_by_network()) return network_for(job.nodes, rank);
  auto loopback = std::make_unique<Loopback>(
      Loopback::Setup{.nodes = job.nodes, .me = rank, .boxes = job.boxes});
  if (form().over == Over::wire || form().over == Over::nodes) return Wire(std::move(loopback));
  const std::uint64_t seed = form().seed * 1000 + index(rank);
  return Wire(std::make_unique<Faulty<Loopback>>(std::move(loopback), seed));
}

std::unique_ptr<Engine> engine_of_thread(const Job& job, Rank rank) {
  Engine::Setup setup;
  setup.rank = rank;
  setup.memory =
      *std::ranges::find_if(job.nodes, [&](const auto& n) { return n->plan().holds(rank); });
  setup.ranks = setup.memory->plan().job_ranks;
  setup.options = test_options();
  setup.threads = form().threads;
  setup.use_reach = form().over == Over::memory || has_nodes();
  if (form().over != Over::memory) setup.wire = wire_for(job, rank);
  Result<std::unique_ptr<Engine>> engine = Engine::create(std::move(setup));
  if (!engine) {
    fmt::print(stderr, "rank {}: {}\n", index(rank), engine.error().text);
    std::abort();  // the other ranks wait for this one
  }
  return *std::move(engine);
}

const char* environment_value(const char* name) {
  return std::getenv(name);
}

// The link to the launcher stays open, or a node agent would think that nobody needs it.
Result<std::unique_ptr<Engine>> engine_of_process() {
  static Result<Membership> self = join(environment_value);
  if (!self) return self.error();
  Result<std::shared_ptr<NodeMemory>> memory =
      NodeMemory::attach(self->plan, self->control, self->rank, self->next_arena);
  if (!memory) return memory.error();
  Engine::Setup setup;
  setup.rank = self->rank;
  setup.ranks = self->ranks;
  setup.memory = *std::move(memory);
  setup.options = test_options();
  setup.threads = form().threads;
  const Result<Options> options = read_options(environment_value);
  if (!options) return options.error();
  Result<Wire> wire = open_wire(*self, setup.memory, *options);
  if (!wire) return wire.error();
  setup.wire = *std::move(wire);
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

// How many ranks a node has; the last may have fewer.
std::uint32_t ranks_per_node(std::uint32_t count) {
  if (form().over == Over::ofi_alone) return 1;
  return has_nodes() ? (count + 1) / 2 : count;
}

Nodes make_nodes(std::uint32_t count) {
  const std::uint32_t each = ranks_per_node(count);
  const std::uint32_t number = (count + each - 1) / each;
  Nodes nodes;
  for (std::uint32_t node = 0; node < number; ++node) {
    const std::uint32_t first = node * each;
    const NodeShare share{std::min(each, count - first), first, node, number, count};
    Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create(share);
    EXPECT_TRUE(memory) << memory.error().text;
    if (memory) nodes.push_back(*std::move(memory));
  }
  return nodes;
}

void run_as_threads(std::uint32_t count, RankBody body) {
  const Job job{make_nodes(count), std::make_shared<Mailboxes>(count)};
  ASSERT_FALSE(testing::Test::HasFailure());
  const auto agents = agents_for(job.nodes);
  std::vector<std::jthread> threads;
  threads.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const std::unique_ptr<Engine> engine = engine_of_thread(job, Rank(i));
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
  static const std::map<std::string_view, Over> names{{"memory", Over::memory},
                                                      {"wire", Over::wire},
                                                      {"faulty", Over::faulty},
                                                      {"nodes", Over::nodes},
                                                      {"faulty-nodes", Over::faulty_nodes},
                                                      {"ofi", Over::ofi},
                                                      {"ofi-alone", Over::ofi_alone},
                                                      {"processes", Over::processes}};
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
  if (take_option(argument, "--seed=", value)) return number(form().seed);
  if (take_option(argument, "--algorithm=", form().algorithm))
    return is_algorithm(form().algorithm);
  if (!take_option(argument, "--over=", value) || !names.contains(value)) return false;
  form().over = names.at(value);
  return true;
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
