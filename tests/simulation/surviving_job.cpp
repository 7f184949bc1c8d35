#include "simulation/surviving_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "simulation/survivors.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events and actions

SurvivingJob::SurvivingJob(std::uint64_t seed, bool logs) : Hosts(seed, 31, logs) {
  draw();
}

SurvivingJob::~SurvivingJob() = default;

void SurvivingJob::draw() {
  turns_ = static_cast<std::uint32_t>(random_.between(1, 5));
  const auto hosts = static_cast<std::uint32_t>(random_.one_in(3) ? 1 : random_.between(2, 4));
  const auto each = static_cast<std::uint32_t>(random_.between(1, hosts == 1 ? 6 : 3));
  job_.programs.emplace_back().ranks = hosts * each;
  job_.on_death = OnDeath::go_on;
  const auto world = Team{0, {}, 0};
  for (std::uint32_t node = 0; node < hosts; ++node) {
    Job& part = parts_.emplace_back(job_);
    part.programs[0].ranks = each;
    part.share = {.node = node,
                  .nodes = hosts,
                  .first = node * each,
                  .total = hosts * each,
                  .tag = hosts > 1 ? tag_of_job : 0,
                  .peer_timeout_s = peer_timeout_s};
    Node& its_node = *all_nodes_.emplace_back(std::make_unique<Node>());
    its_node.number = node;
    its_node.part = part;
    add(its_node);
    for (std::uint32_t i = 0; i < each; ++i) {
      auto its_world = std::make_shared<Team>(world);
      for (std::uint32_t rank = 0; rank < hosts * each; ++rank) its_world->ranks.push_back(rank);
      its_node.ranks.push_back(
          ranks_.emplace_back(std::make_unique<Rank>(node * each + i, &its_node)).get());
      ranks_.back()->world = ranks_.back()->team = its_world;
    }
  }
}

void SurvivingJob::draw_faults(Time from) {
  const std::uint64_t kills = random_.skewed(2 * ranks_.size());
  for (std::uint64_t i = 0; i < kills; ++i) {
    const Time at = from + random_.skewed(400) * ms + random_.below(ms);
    Node& node = own(*random_.pick(nodes_));
    Rank& rank = *ranks_[random_.below(ranks_.size())];
    const std::uint64_t kind = random_.below(nodes_.size() == 1 ? 20 : 26);
    schedule_.at(at, [this, &node, &rank, kind] {
      if (kind == 0) return kill_launcher();
      if (kind < 20) return die(rank, told_ns);
      if (kind < 22) return kill_agent(node);
      if (kind < 24) return kill_guardian(node);
      if (kind < 25) return power_off(node);
      cut(node);
    });
  }
}

// All ranks join, and run once the last has joined.
void SurvivingJob::start() {
  if (nodes_.size() > 1) begin_conductor(job_, parts_);
  for (const auto& node : all_nodes_) {
    if (has_conductor()) start_connection(*node);
    node->guardian.emplace(node->part, node->name(), schedule_.now());
    if (has_conductor()) tell_conductor(*node, Hello{});
    for (std::uint32_t slot = 0; slot < node->ranks.size(); ++slot) {
      handle(*node, RankStarted{slot, static_cast<pid_t>(node->ranks[slot]->number + 100)});
      handle(*node, RankJoined{slot, static_cast<pid_t>(node->ranks[slot]->number + 100)});
      node->ranks[slot]->state = RankState::joined;
    }
  }
  const Time runs = schedule_.now() + 200 * ms;
  for (const auto& rank : ranks_)
    schedule_.at(runs + latency(), [this, &one = *rank] {
      one.state = RankState::running;
      run(one);
    });
  // Now and then before all run: then the job ends.
  draw_faults(random_.one_in(10) ? runs : runs + latency_ + ms);
  tick_all();
}

// The hosts.

void SurvivingJob::perform(HostNode& node, const NodeAction& action) {
  if (const auto* death = std::get_if<TellDeath>(&action)) take_death(own(node), death->dead.rank);
}

void SurvivingJob::obey(HostNode& host, const Frame& order) {
  Node& node = own(host);
  if (const auto* dead = std::get_if<DeadRanks>(&order))
    handle(node, DeathsTold{*dead, can_lose_ranks(node)});
  if (const auto* shrunk = std::get_if<Shrunk>(&order)) take_decision(node, *shrunk);
  if (const auto* end = std::get_if<End>(&order)) handle(node, EndElsewhere{*end});
  if (const auto* ended = std::get_if<AllEnded>(&order)) handle(node, *ended);
}

RanksSeen SurvivingJob::look(HostNode& host) {
  const Node& node = own(host);
  RanksSeen seen{.states = {}, .others_can_continue = can_lose_ranks(node)};
  for (const Rank* rank : node.ranks) seen.states.push_back(rank->state);
  return seen;
}

std::uint32_t SurvivingJob::count_living(const HostNode& node) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      ranks_, [&](const auto& rank) { return rank->node == &node && rank->is_alive; }));
}

void SurvivingJob::kill_ranks(HostNode& node) {
  for (Rank* rank : own(node).ranks) die(*rank, loss_told_ns);
}

bool SurvivingJob::can_lose_ranks(const Node& node) const {
  return std::ranges::all_of(node.ranks,
                             [](const Rank* rank) { return rank->state >= RankState::running; });
}

void SurvivingJob::take_death(Node& node, std::uint32_t rank) {
  const Rank& dead = *ranks_[rank];
  if (dead.is_alive && dead.node->is_well)
    fail(fmt::format("host {} is told that rank {} has died, and it lives", node.name(), rank));
  node.deaths.push_back(rank);
  if (node.deaths.size() > order_.size()) order_.push_back(rank);
  if (order_[node.deaths.size() - 1] != rank)
    fail(fmt::format("death {} is that of rank {} on host {}, and that of rank {} elsewhere",
                     node.deaths.size(), rank, node.name(), order_[node.deaths.size() - 1]));
  wake(node);
}

void SurvivingJob::take_decision(Node& node, const Shrunk& shrunk) {
  for (Rank* rank : node.ranks) {
    if (std::ranges::find(shrunk.ranks, rank->number) == shrunk.ranks.end()) continue;
    ShrinkPlace<RealAtomics>& place = rank->place(shrunk.decision.team);
    place.agreed.store({shrunk.decision.numbers, shrunk.decision.epoch});
    place.decided = shrink_word(shrunk.decision.turn, shrunk.decision.deaths);
  }
  wake(node);
}

}  // namespace gondwana::simulation
