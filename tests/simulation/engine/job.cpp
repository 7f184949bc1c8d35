#include "simulation/engine/job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "memory/node_memory.hpp"
#include "remote/agent/agent.hpp"
#include "remote/client/client.hpp"
#include "simulation/engine/network.hpp"
#include "simulation/engine/program.hpp"
#include "simulation/engine/rank.hpp"

namespace gondwana::simulation {
namespace {

constexpr std::uint64_t job_tag = 0x7e57'7e57'7e57'7e57;

class Job {
 public:
  Job(std::uint64_t seed, bool is_told)
      : program_(draw_program(seed)),
        machine_(seed, is_told),
        network_(machine_),
        ranks_left_(program_.ranks()) {
    if (is_told) fmt::print("{}\n", describe(program_));
    machine_.describe_by([this] { return describe_waits(); });
    make_nodes();
    if (nodes_.size() > 1) start_agents();
    for (const auto& node : nodes_)
      for (const Rank rank : node->roster().here())
        machine_.add_task(fmt::format("rank {}", index(rank)),
                          [this, node, rank] { run(node, rank); });
  }

  JobReport run() {
    const Nanoseconds begin = machine_.now();
    machine_.run();
    for (const auto& agent : agents_) check(*agent);
    return {machine_.now() - begin, machine_.steps(), network_.messages(), machine_.history()};
  }

 private:
  template <typename T>
  T take(Result<T> result) {
    if (!result) machine_.fail(result.error().text);
    return *std::move(result);
  }

  void make_nodes() {
    const auto count = static_cast<std::uint32_t>(program_.nodes.size());
    std::uint32_t first = 0;
    for (std::uint32_t node = 0; node < count; ++node) {
      const std::uint32_t ranks = program_.nodes[node];
      nodes_.push_back(
          take(NodeMemory::create(NodeShare{ranks, first, node, count, program_.ranks()})));
      first += ranks;
    }
  }

  void start_agents() {
    std::array<int, 2> ends{};
    GONDWANA_ASSERT(::pipe(ends.data()) == 0, errno);
    orders_ = UniqueFd(ends[0]);
    end_ = UniqueFd(ends[1]);
    for (const auto& node : nodes_) {
      agents_.push_back(take(NodeAgent::open({.memory = node,
                                              .job_tag = job_tag,
                                              .settings = {},
                                              .carries = program_.through_agent})));
      NodeAgent& agent = *agents_.back();
      machine_.add_task(fmt::format("agent {}", agents_.size() - 1),
                        [this, &agent] { agent.serve(orders_.get()); });
    }
    for (const auto& node : nodes_) {
      for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        node->nodes().write(i, agents_[i]->contact());
        node->entry(i).state.store(NodeState::known, std::memory_order_release);
      }
    }
  }

  void run(const std::shared_ptr<NodeMemory>& node, Rank rank) {
    Engine::Setup setup;
    setup.rank = rank;
    setup.ranks = program_.ranks();
    setup.memory = node;
    setup.options.heap_size = std::size_t{1} << 20;
    setup.options.heap_overcommit = true;
    setup.options.spins = program_.spins;
    setup.on_lost = [this](const Error& error) { machine_.fail(error.text); };
    if (nodes_.size() > 1)
      setup.wire = Wire(take(RemoteClient::open({.memory = node,
                                                 .me = rank,
                                                 .job_tag = job_tag,
                                                 .settings = {},
                                                 .eager_limit = program_.eager_limit,
                                                 .batch_limit = program_.batch_limit,
                                                 .through_agent = program_.through_agent})));
    {
      const std::unique_ptr<Engine> engine = take(Engine::create(std::move(setup)));
      machine_.note("has an engine");
      run_rank(machine_, program_, *engine);
    }
    if (--ranks_left_ == 0) end_.reset();  // the agents may end
  }

  void check(const NodeAgent& agent) {
    const NodeAgent::Dropped dropped = agent.dropped();
    if (dropped.refused + dropped.repeated + dropped.misdirected > 0)
      machine_.fail(
          fmt::format("an agent dropped messages: {} refused, {} repeated, {} misdirected",
                      dropped.refused, dropped.repeated, dropped.misdirected));
  }

  std::string describe_waits() const {
    std::string text = fmt::format("  The job: {}\n", describe(program_));
    for (const auto& node : nodes_) {
      for (const Rank rank : node->roster().here()) {
        const auto* wait = node->page(rank).longest_wait();
        if (wait != nullptr)
          text += fmt::format("  rank {} waits in {}\n", index(rank), wait->call());
      }
    }
    return text;
  }

  Program program_;
  Machine machine_;
  Network network_;
  std::vector<std::shared_ptr<NodeMemory>> nodes_;
  UniqueFd orders_;
  UniqueFd end_;
  std::vector<std::unique_ptr<NodeAgent>> agents_;
  std::uint32_t ranks_left_;
};

}  // namespace

JobReport run_job(std::uint64_t seed, bool is_told) {
  return Job(seed, is_told).run();
}

}  // namespace gondwana::simulation
