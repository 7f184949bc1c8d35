// The nodes of a ChangingJob: how they start, at the start of the job or later, and what they can
// lose.
#include <fmt/format.h>

#include <algorithm>

#include "simulation/changing_job.hpp"
#include "simulation/changing_process.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its events and frames

namespace {

// See Guardian.
NodeShare share_of(const Job& job) {
  const Share& share = job.share;
  if (share.has_conductor())
    return {job.ranks(), share.first, share.node,      share.nodes,
            share.total, 0,           share.max_total, share.spare_nodes};
  NodeShare whole = NodeShare::whole(job.ranks());
  whole.max_ranks = job.max_ranks.value_or(0);
  return whole;
}

}  // namespace

ChangingJob::Node& ChangingJob::add_node(const Job& part) {
  Node& node = *all_nodes_.emplace_back(std::make_unique<Node>());
  node.number = part.share.node;
  node.part = part;
  add(node);
  return node;
}

void ChangingJob::start_node(Node& node) {
  const Share& share = node.part.share;
  node.wire.emplace(share_of(node.part), tag_of_job, Environment{}, OnDeath::go_on,
                    job_.restart.replacement());
  if (share.joins_later())
    node.wire->join_later(share.session, share.added_nodes, share.is_replacement());
  node.known.emplace(share.node_capacity(), share.total);
  node.guardian.emplace(node.part, node.name(), schedule_.now());
  if (has_conductor()) tell_conductor(node, Hello{});
  if (node.wire->knows_changes(share.past_changes)) start_ranks(node);
}

void ChangingJob::start_ranks(Node& node) {
  const Share& share = node.part.share;
  for (std::uint32_t slot = 0; slot < node.part.ranks() && !node.is_over; ++slot)
    start_process(node, node.first() + slot,
                  share.joins_later() ? share.session : Session{0, share.total});
}

// Some hosts cannot be reached.
void ChangingJob::add_hosts(const StartHosts& start) {
  if (faults_.one_in(30)) return handle(GrowthFailed{"no processes"});
  for (const Job& part : start.plan.parts) {
    judge_part(part);
    Node& node = add_node(part);
    node.has_numbers = false;
    log([&] { return fmt::format("host {} is added", node.name()); });
    start_connection(node);
    schedule_.after(1 + random_.skewed(100 * ms), [this, &node] { reach(node); });
  }
}

// The launcher on the host starts, or not, or the host stays silent.
void ChangingJob::reach(Node& node) {
  if (!node.is_linked || node.is_over) return;
  const bool is_replacement = node.part.share.is_replacement();
  if (!faults_.one_in(is_replacement ? 5 : 20)) return start_node(node);
  if (faults_.one_in(10)) return power_off(node);
  node.is_well = false;
  tell_loss(node);
}

std::string ChangingJob::contact_of(const HostNode& node) const {
  NodeInfo info{};
  info.ranks = node.part.node_ranks();
  return NodeContact(info, {}, {}).pack();
}

void ChangingJob::start_process(Node& node, std::uint32_t rank, const Session& session) {
  const auto former = node.processes.find(rank);
  const std::uint32_t incarnation = former != node.processes.end() ? former->second->incarnation + 1
                                    : node.part.share.is_replacement()
                                        ? starts_of(rank, last_change_)
                                        : 0;
  const auto pid = static_cast<pid_t>(100 + processes_.size());
  Process& process = *processes_.emplace_back(std::make_unique<Process>(Process{
      .node = &node, .rank = rank, .incarnation = incarnation, .pid = pid, .session = session}));
  node.processes[rank] = &process;
  if (!current_.contains(rank) || current_[rank]->incarnation <= incarnation)
    current_[rank] = &process;
  handle(node, RankStarted{process.slot(), pid});
  const std::uint32_t counted = node.guardian->ranks()[process.slot()].incarnation;
  if (counted != incarnation)
    fail(fmt::format("the launcher counts process {} of rank {} as number {}", incarnation, rank,
                     counted));
  if (node.is_over) fail(fmt::format("rank {} is started after the end", rank));
  if (incarnation > starts_of(rank, last_change_))
    fail(fmt::format("rank {} is started again before the others count it as dead", rank));
  if (!step(process, "starts")) return;
  later(process, 50 * ms, [this, &process] { join(process); });
}

// See Guardian::is_own().
bool ChangingJob::is_own(const Node& node, const DeadRank& process) {
  const Share& share = node.part.share;
  const Session& own = share.session;
  if (!share.is_replacement()) return own.first <= process.rank && process.rank < own.end();
  const std::optional<std::uint32_t> rank = node.guardian->ranks().local(process.rank);
  return rank && process.incarnation >= node.guardian->ranks()[*rank].incarnation;
}

// See Guardian::can_lose().
bool ChangingJob::can_lose(const Node& node, const DeadRanks& dead) const {
  const bool are_others = std::ranges::none_of(
      dead.ranks, [&](const RankDeath& one) { return is_own(node, one.process); });
  const bool are_leaves = std::ranges::all_of(
      dead.ranks, [](const RankDeath& one) { return one.how == DeathKind::leave; });
  return are_leaves || node.wire->can_lose_ranks() ||
         (node.part.share.joins_later() && are_others && !node.wire->needs_all_ranks());
}

// See Guardian::on_order().
void ChangingJob::obey_deaths(Node& node, const DeadRanks& dead) {
  const bool can_continue = can_lose(node, dead);
  if (dead.lost_node != DeadRanks::no_node) node.wire->announce_loss(dead.lost_node);
  const std::uint32_t past = node.part.share.past_changes;
  const bool waited = !node.wire->knows_changes(past);
  handle(node, DeathsTold{dead, can_continue});
  if (waited && node.wire->knows_changes(past) && node.is_idle()) start_ranks(node);
}

}  // namespace gondwana::simulation
