#include "simulation/engine/job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "memory/node_memory.hpp"
#include "memory/stillness.hpp"
#include "remote/agent/agent.hpp"
#include "remote/client/client.hpp"
#include "simulation/engine/loss_rules.hpp"
#include "simulation/engine/network.hpp"
#include "simulation/engine/presence.hpp"
#include "simulation/engine/rank.hpp"

namespace gondwana::simulation {
namespace {

constexpr std::uint64_t job_tag = 0x7e57'7e57'7e57'7e57;
constexpr Nanoseconds longest_settling = 20'000'000'000;
constexpr Nanoseconds settling_step = 1'000'000;

std::string name_of(Rank rank) {
  return fmt::format("rank {}", index(rank));
}
std::string agent_of(std::uint32_t node) {
  return fmt::format("agent {}", node);
}

std::pair<UniqueFd, UniqueFd> make_pipe() {
  std::array<int, 2> ends{};
  GONDWANA_ASSERT(::pipe(ends.data()) == 0, errno);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

class Job {
 public:
  Job(const JobPlan& plan, bool is_told)
      : plan_(plan),
        program_(plan.program),
        machine_(plan.seed, plan.schedule, is_told),
        network_(machine_, {.tag = job_tag,
                            .executed =
                                [this](std::uint32_t node) {
                                  return nodes_[node]->header().agent_load.batches.load();
                                }}),
        losses_(machine_, program_),
        ranks_left_(program_.ranks()) {
    if (is_told) fmt::print("{}\n", describe(program_));
    machine_.describe_by([this] { return describe_waits(); });
    machine_.give_up_by([this](const std::string& why) { losses_.tell(why); });
    make_nodes();
    if (nodes_.size() > 1) start_agents();
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      for (const Rank rank : nodes_[i]->roster().here())
        machine_.add_task(name_of(rank), host_of(i), [this, i, rank] { run(i, rank); });
    if (program_.loss)
      machine_.at(machine_.now() + program_.loss->after_ns, [this] { lose(*program_.loss); });
  }

  JobReport run() {
    const Nanoseconds begin = machine_.now();
    machine_.run();
    for (const auto& agent : agents_) check(*agent);
    return {machine_.now() - begin, machine_.steps(), network_.messages(), machine_.history()};
  }

 private:
  struct AgentLife {
    UniqueFd watched;  // by the ranks of its node
    UniqueFd kept;     // by the agent
  };

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
    std::tie(orders_, end_) = make_pipe();
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      auto [watched, kept] = make_pipe();
      lives_.push_back({std::move(watched), std::move(kept)});
      machine_.act_as(agent_of(i), host_of(i));
      agents_.push_back(take(NodeAgent::open({.memory = nodes_[i],
                                              .job_tag = job_tag,
                                              .settings = {},
                                              .carries = program_.through_agent,
                                              .peer_timeout_s = program_.peer_timeout_s})));
      NodeAgent& agent = *agents_.back();
      machine_.add_task(agent_of(i), host_of(i), [this, &agent] { agent.serve(orders_.get()); });
    }
    machine_.act_as("the machine", "here");
    for (const auto& node : nodes_) {
      for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        node->nodes().write(i, agents_[i]->contact());
        node->entry(i).state.store(NodeState::known, std::memory_order_release);
      }
    }
  }

  Engine::Setup setup_of(std::uint32_t node, Rank rank) {
    Engine::Setup setup;
    setup.rank = rank;
    setup.ranks = program_.ranks();
    setup.memory = nodes_[node];
    setup.options.heap_size = std::size_t{1} << 20;
    setup.options.heap_overcommit = true;
    setup.options.spins = program_.spins;
    setup.on_lost = [this](const Error& error) { machine_.give_up(error.text); };
    // On one node, ranks watch each other, if no launcher does.
    if (nodes_.size() == 1 && program_.loss)
      setup.check_peers = [this]() -> std::optional<Error> {
        for (const Rank each : nodes_[0]->roster().here())
          if (auto loss = find_loss(nodes_[0]->page(each), index(each)))
            return Error{Errc::peer_lost, *std::move(loss)};
        return std::nullopt;
      };
    return setup;
  }

  Wire open_wire(std::uint32_t node, Rank rank) {
    if (nodes_.size() == 1) return {};
    return Wire(take(RemoteClient::open({.memory = nodes_[node],
                                         .me = rank,
                                         .job_tag = job_tag,
                                         .settings = {},
                                         .eager_limit = program_.eager_limit,
                                         .batch_limit = program_.batch_limit,
                                         .through_agent = program_.through_agent,
                                         .agent = lives_[node].watched.get()})));
  }

  void run(std::uint32_t node, Rank rank) {
    ControlPage& page = nodes_[node]->page(rank);
    page.state.store(RankState::joined, std::memory_order_release);
    begin_presence(page.presence);
    {
      const Wire wire = open_wire(node, rank);
      for (std::uint32_t session = 0; session < program_.sessions; ++session) {
        Engine::Setup setup = setup_of(node, rank);
        setup.wire = wire;
        const Result<std::unique_ptr<Engine>> created = Engine::create(std::move(setup));
        if (!created) machine_.give_up(created.error().text);
        const std::unique_ptr<Engine>& engine = *created;
        machine_.note("has an engine");
        plan_.body ? plan_.body(machine_, *engine) : run_rank(machine_, program_, *engine);
        settle_traffic(*engine, page.traffic);
      }
      page.presence.leave();
      page.state.store(RankState::finalized, std::memory_order_release);
    }
    has_ended();
  }

  // All that a rank has begun ends.
  void settle_traffic(Engine& engine, const Traffic& traffic) {
    for (Nanoseconds slept = 0; traffic.pending.load() != 0; slept += settling_step) {
      if (slept > longest_settling)
        machine_.fail(fmt::format("{} operations do not end", traffic.pending.load()));
      engine.waiter().make_progress();
      machine_.sleep(settling_step);
    }
  }

  // The agents may end after the ranks.
  void has_ended() {
    if (--ranks_left_ > 0) return;
    end_.reset();
    machine_.descriptors_changed();
  }

  void lose(const Loss& loss) {
    const std::uint32_t node = losses_.node();
    if (loss.what == Loss::What::rank) return lose_rank(node, Rank(loss.number), loss.is_reset);
    if (ranks_left_ == 0) return;  // agents are about to end
    losses_.begin();
    lose_process(agent_of(node), loss.is_reset);
    lives_[node].kept.reset();
    machine_.descriptors_changed();
    if (loss.what == Loss::What::agent) return;
    for (const Rank rank : nodes_[node]->roster().here()) lose_rank(node, rank, loss.is_reset);
  }

  void lose_rank(std::uint32_t node, Rank rank, bool is_reset) {
    ControlPage& page = nodes_[node]->page(rank);
    if (page.state.load() == RankState::absent || page.state.load() == RankState::finalized) return;
    if (!losses_.has_begun()) losses_.begin();
    end_presence(page.presence, index(rank));
    lose_process(name_of(rank), is_reset);
    has_ended();
  }

  void lose_process(const std::string& name, bool is_reset) {
    machine_.act_as(name, "");
    machine_.note("dies");
    machine_.act_as("the machine", "here");
    machine_.kill(name);
    network_.kill(name, is_reset);
  }

  void check(const NodeAgent& agent) {
    const NodeAgent::Dropped dropped = agent.dropped();
    if (!losses_.has_begun() && dropped.refused + dropped.repeated + dropped.misdirected > 0)
      machine_.fail(
          fmt::format("an agent dropped messages: {} refused, {} repeated, {} misdirected",
                      dropped.refused, dropped.repeated, dropped.misdirected));
  }

  std::string describe_waits() const {
    std::string text = fmt::format("  The job: {}\n", describe(program_));
    for (const auto& node : nodes_) {
      for (const Rank rank : node->roster().here()) {
        const auto* wait = node->threads(rank).longest_wait();
        if (wait != nullptr)
          text += fmt::format("  rank {} waits in {}\n", index(rank), wait->call());
      }
    }
    return text;
  }

  const JobPlan& plan_;
  const Program& program_;
  Machine machine_;
  Network network_;
  LossRules losses_;
  std::vector<std::shared_ptr<NodeMemory>> nodes_;
  UniqueFd orders_;
  UniqueFd end_;
  std::vector<AgentLife> lives_;  // of the agents
  std::vector<std::unique_ptr<NodeAgent>> agents_;
  std::uint32_t ranks_left_;
};

}  // namespace

JobReport run_job(const JobPlan& plan, bool is_told) {
  return Job(plan, is_told).run();
}

}  // namespace gondwana::simulation
