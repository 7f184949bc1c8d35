#include "simulation/surviving_job.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>
#include <variant>

#include "simulation/plan.hpp"
#include "simulation/survivors.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events and actions

namespace {

constexpr std::uint64_t tag = 0x5eed;
constexpr std::uint32_t peer_timeout_s = 4;
constexpr Time end_ns = 100 * second;  // no job takes longer
constexpr Time tick_ns = 50 * ms;

Frame copy_of(const Frame& frame) {
  FrameParser parser(tag);
  parser.add(encode(frame, tag));
  return **parser.next();
}

}  // namespace

SurvivingJob::SurvivingJob(std::uint64_t seed, bool logs)
    : random_(seed, 31), schedule_(seed + 17), logs_(logs) {
  draw();
}

SurvivingJob::~SurvivingJob() = default;

void SurvivingJob::draw() {
  latency_ = random_.one_in(3) ? 30 * ms : ms;
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
                  .tag = hosts > 1 ? tag : 0,
                  .peer_timeout_s = peer_timeout_s};
    nodes_.push_back(std::make_unique<Node>());
    nodes_[node]->number = node;
    nodes_[node]->part = part;
    for (std::uint32_t i = 0; i < each; ++i) {
      auto its_world = std::make_shared<Team>(world);
      for (std::uint32_t rank = 0; rank < hosts * each; ++rank) its_world->ranks.push_back(rank);
      nodes_[node]->ranks.push_back(
          ranks_.emplace_back(std::make_unique<Rank>(node * each + i, nodes_[node].get())).get());
      ranks_.back()->world = ranks_.back()->team = its_world;
    }
  }
}

void SurvivingJob::draw_faults(Time from) {
  const std::uint64_t kills = random_.skewed(2 * ranks_.size());
  for (std::uint64_t i = 0; i < kills; ++i) {
    const Time at = from + random_.skewed(400) * ms + random_.below(ms);
    Node& node = *nodes_[random_.below(nodes_.size())];
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
  if (nodes_.size() > 1) conductor_.emplace(job_, parts_, schedule_.now());
  for (const auto& node : nodes_) {
    if (conductor_)
      handle(HostStarted{node->number,
                         {.name = name_of_host(node->number),
                          .way = "ssh",
                          .by_ssh = true,
                          .peer_timeout_s = peer_timeout_s,
                          .start_limit_s = 2 * peer_timeout_s}});
    node->guardian.emplace(node->part, name_of_host(node->number), schedule_.now());
    if (conductor_) tell_conductor(*node, Hello{});
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
  schedule_.after(tick_ns, [this] { tick_conductor(); });
}

PartReport SurvivingJob::run() {
  start();
  while (report_.wrong.empty() && schedule_.now() < Schedule::beginning + end_ns)
    if (!schedule_.run_next()) break;
  if (report_.wrong.empty()) judge_end();
  report_.time = schedule_.now() - Schedule::beginning;
  return std::move(report_);
}

// The hosts.

void SurvivingJob::handle(Node& node, const NodeEvent& event) {
  if (node.is_over) return;
  const bool was_idle = node.guardian->end().is_idle();
  const NodeActions actions = node.guardian->handle(event, schedule_.now());
  if (was_idle && !node.guardian->end().is_idle())
    log([&] { return fmt::format("host {} ends", name_of_host(node.number)); });
  for (const NodeAction& action : actions) perform(node, action);
}

void SurvivingJob::perform(Node& node, const NodeAction& action) {
  if (const auto* death = std::get_if<TellDeath>(&action)) take_death(node, death->dead.rank);
  if (const auto* stopping = std::get_if<Stopping>(&action)) {
    ends_ = true;
    tell_conductor(node, *stopping);
  }
  if (const auto* died = std::get_if<RanksDied>(&action)) tell_conductor(node, *died);
  if (const auto* entry = std::get_if<ShrinkEntry>(&action)) tell_conductor(node, *entry);
  if (const auto* ended = std::get_if<RanksEnded>(&action)) tell_conductor(node, *ended);
  if (const auto* said = std::get_if<Said>(&action))
    log([&] { return fmt::format("host {}: {}", name_of_host(node.number), said->sentence); });
  if (std::holds_alternative<NeedAgent>(action)) node.has_agent = true;
  if (std::holds_alternative<SignalAll>(action)) kill_ranks(node);
  if (std::holds_alternative<LookAtRanks>(action)) {
    RanksSeen seen{.states = {}, .others_can_continue = can_lose_ranks(node)};
    for (const Rank* rank : node.ranks) seen.states.push_back(rank->state);
    handle(node, seen);
  }
}

bool SurvivingJob::can_lose_ranks(const Node& node) const {
  return std::ranges::all_of(node.ranks,
                             [](const Rank* rank) { return rank->state >= RankState::running; });
}

void SurvivingJob::tick(Node& node) {
  if (node.is_over || schedule_.now() >= node.silent_at) return;
  handle(node, Tick{});
  const auto living = std::ranges::count_if(node.ranks, &Rank::is_alive);
  if (!node.guardian->end().is_idle())
    handle(node, DescendantsSeen{living != 0, static_cast<std::size_t>(living), {}});
  if (node.guardian->end().ending().is_over()) finish(node);
}

void SurvivingJob::finish(Node& node) {
  if (!conductor_ && node.guardian->end().outcome().of_job() != 0) ends_ = true;
  const auto status = static_cast<std::uint32_t>(node.guardian->end().outcome().of_job());
  tell_conductor(node, Ended{status});
  node.is_over = true;
}

void SurvivingJob::kill_ranks(Node& node) {
  for (Rank* rank : node.ranks) die(*rank, loss_told_ns);
}

void SurvivingJob::take_death(Node& node, std::uint32_t rank) {
  const Rank& dead = *ranks_[rank];
  if (dead.is_alive && dead.node->is_well)
    fail(fmt::format("host {} is told that rank {} has died, and it lives",
                     name_of_host(node.number), rank));
  node.deaths.push_back(rank);
  if (node.deaths.size() > order_.size()) order_.push_back(rank);
  if (order_[node.deaths.size() - 1] != rank)
    fail(fmt::format("death {} is that of rank {} on host {}, and that of rank {} elsewhere",
                     node.deaths.size(), rank, name_of_host(node.number),
                     order_[node.deaths.size() - 1]));
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

// Between them.

// Frames arrive in order.
void SurvivingJob::tell_later(Time& last, std::function<void()> what) {
  last = std::max(last + 1, schedule_.now() + 10 * us + latency());
  schedule_.at(last, std::move(what));
}

void SurvivingJob::tell_conductor(Node& node, const Frame& frame) {
  if (!conductor_ || node.is_over || schedule_.now() >= node.silent_at) return;
  tell_later(node.to_conductor, [this, &node, copy = copy_of(frame)] {
    if (node.is_linked && !conductor_->is_over(node.number)) handle(HostSaid{node.number, copy});
  });
}

void SurvivingJob::tell_node(Node& node, const Frame& frame) {
  tell_later(node.to_node, [this, &node, copy = copy_of(frame)] {
    if (node.is_linked && schedule_.now() < node.silent_at) on_frame(node, copy);
  });
}

void SurvivingJob::on_frame(Node& node, const Frame& frame) {
  if (const auto* dead = std::get_if<DeadRanks>(&frame))
    handle(node, DeathsTold{*dead, can_lose_ranks(node)});
  if (const auto* shrunk = std::get_if<Shrunk>(&frame)) take_decision(node, *shrunk);
  if (const auto* end = std::get_if<End>(&frame)) handle(node, EndElsewhere{*end});
  if (const auto* ended = std::get_if<AllEnded>(&frame)) handle(node, *ended);
}

void SurvivingJob::handle(const HostsEvent& event) {
  for (const HostsAction& action : conductor_->handle(event, schedule_.now())) perform(action);
}

void SurvivingJob::perform(const HostsAction& action) {
  if (const auto* send = std::get_if<Send>(&action))
    for (const std::uint32_t node : send->to) {
      ends_ = ends_ || std::holds_alternative<End>(send->frame);
      tell_node(*nodes_[node], send->frame);
    }
  if (const auto* look = std::get_if<LookAtHost>(&action))
    handle(HostSeen{look->node, std::min(schedule_.now(), nodes_[look->node]->silent_at), false});
  if (const auto* said = std::get_if<Said>(&action))
    log([&] { return "conductor: " + said->sentence; });
}

void SurvivingJob::tick_conductor() {
  for (const auto& node : nodes_) tick(*node);
  if (conductor_ && !conductor_->is_over()) handle(Tick{});
  const bool is_over = std::ranges::all_of(nodes_, &Node::is_over);
  if (!is_over || (conductor_ && !conductor_->is_over() && !launcher_killed_))
    schedule_.after(tick_ns, [this] { tick_conductor(); });
}

}  // namespace gondwana::simulation
