// How a conductor goes on after deaths: their numbers, ranks that are started again, and nodes that
// take the place of lost ones.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/exit_status.hpp"
#include "run/node/diagnosis.hpp"
#include "run/remote/job_on_hosts.hpp"

namespace gondwana::launch {

// False: no host sends this.
bool JobOnHosts::on_change(std::uint32_t node, const Frame& frame) {
  if (const auto* died = std::get_if<RanksDied>(&frame)) return on(node, *died);
  const auto* runs = std::get_if<RankRuns>(&frame);
  return runs != nullptr && on(node, *runs);
}

bool JobOnHosts::on(std::uint32_t node, RanksDied died) {
  const bool is_possible = std::ranges::all_of(died.ranks, [&](const DeadRank& dead) {
    return part_of(node).node_ranks().holds(Rank(dead.rank));
  });
  if (!is_possible) return false;
  // A host that is lost may report a rank before it knows whether it is started again.
  std::erase_if(died.ranks, [&](const DeadRank& dead) { return !roster_.has(dead); });
  if (died.how == DeathKind::leave) {
    for (const DeadRank& rank : died.ranks) leave(rank);
    return true;
  }
  if (!job_.continues_after_death()) return false;
  if (!ending_ && !died.ranks.empty())
    lose(died, died.is_host_lost ? std::optional(node) : std::nullopt);
  return true;
}

// The hosts get this after the death of the former process, and before the next death.
bool JobOnHosts::on(std::uint32_t node, const RankRuns& runs) {
  if (!part_of(node).node_ranks().holds(Rank(runs.process.rank)) || !roster_.has(runs.process))
    return false;
  roster_.run(runs.process, node);
  if (!is_over()) actions_.emplace_back(Send{informed(), RankRuns{runs.process, node}});
  return true;
}

// All ranks of the host that live are dead for the others, although they may still run if only the
// connection is lost.
void JobOnHosts::lose_host(std::uint32_t node, const HostEnd& end) {
  RanksDied died{{}, static_cast<std::uint32_t>(end.status), end.sentence};
  const bool is_known = hosts_[node].is_lost;
  for (const Rank rank : part_of(node).node_ranks())
    if (!is_known && !roster_.is_gone(index(rank)))
      died.ranks.push_back(roster_.process_of(index(rank)));
  hosts_[node].was_silent = end.is_silent;
  close_host(node, true);
  if (!is_known) lose(died, node);
  release_hosts();
}

// Decides which ranks are started again. The status counts only if all ranks die.
void JobOnHosts::lose(const RanksDied& died, std::optional<std::uint32_t> lost_node) {
  if (roster_.dead().empty()) first_death_status_ = static_cast<int>(died.status);
  const std::uint32_t restarts = roster_.restarts();
  const std::uint32_t first = roster_.changes() + 1;
  const bool is_replaced =
      lost_node ? can_replace(*lost_node, died.ranks) : died.how == DeathKind::replaced_death;
  std::vector<RankDeath> deaths;
  deaths.reserve(died.ranks.size());
  for (const DeadRank& process : died.ranks)
    deaths.push_back({process, roster_.die(process, is_replaced)});
  if (lost_node) hosts_[*lost_node].is_lost = true;
  number(first, deaths, lost_node);
  if (const std::string sentence = died.sentence + consequence(restarts); !sentence.empty())
    actions_.emplace_back(Said{sentence});
  if (roster_.alive() == 0)
    outcome_.settle(end_signal_ ? exit_signal_base + *end_signal_ : first_death_status_);
  if (lost_node && is_replaced) {
    wishes_.emplace_back(LostNode{*lost_node, places_for(*lost_node)});
    begin_growth();
  }
}

// Tells deaths and leaves, whose numbers begin with `first`. All hosts get them in this order,
// because frames to a host stay in order. A decision that counts them follows.
void JobOnHosts::number(std::uint32_t first, const std::vector<RankDeath>& deaths,
                        std::optional<std::uint32_t> lost_node) {
  if (deaths.empty()) return;
  changes_.push_back({first, deaths, lost_node.value_or(DeadRanks::no_node)});
  if (!is_over()) actions_.emplace_back(Send{informed(), changes_.back()});
  std::uint32_t last = first - 1;
  for (const RankDeath& death : deaths) {
    const bool is_replaced = death.how == DeathKind::replaced_death;
    last += is_replaced ? 2 : 1;
    agreements_.die(death.process.rank);
    if (is_replaced)
      world_.replace(death.process.rank, last);
    else
      decide(world_.die(death.process.rank, last));
  }
  for (const RankDeath& death : deaths) count_in(death.process.rank);
  if (roster_.alive() == 0) fail_growth("the job ends");
}

std::string JobOnHosts::consequence(std::uint32_t restarts_before) const {
  const std::uint32_t times = job_.restart.times;
  const std::uint32_t restarts = roster_.restarts();
  if (restarts == restarts_before + 1)
    return fmt::format("; it is started again, restart {} of {}", restarts, times);
  if (restarts > restarts_before)
    return fmt::format("; its ranks are started again, restarts {} to {} of {}",
                       restarts_before + 1, restarts, times);
  if (will_end()) return "";
  if (!knows_nodes()) return std::string(reason_of_end);
  const bool is_spent = times > 0 && roster_.restarts_left() == 0;
  return fmt::format("{}{}", is_spent ? "; no restart is left" : "",
                     describe_continued(roster_.alive()));
}

std::string JobOnHosts::describe_dead() const {
  return launch::describe_dead(roster_.dead(), ranks_, roster_.restarts(), !will_end());
}

// Nodes that take the place of lost ones.

// Whether all nodes of the job are known, without those that are being added.
bool JobOnHosts::knows_nodes() const {
  return nodes_.knows_first(growing_ ? growing_->first : nodes_.size());
}

// All ranks of a node start together, or none: some may have finalized. Before all nodes of the job
// are known no rank has run, so the other hosts end the job, and a new node would wait forever.
bool JobOnHosts::can_replace(std::uint32_t node, const std::vector<DeadRank>& dead) const {
  if (!knows_nodes()) return false;
  const auto waiting = std::ranges::count_if(
      wishes_, [](const auto& wish) { return std::holds_alternative<LostNode>(wish); });
  const auto started =
      std::ranges::count_if(added_, [](const Job& part) { return part.share.is_replacement(); });
  return !will_end() && dead.size() == part_of(node).node_ranks().size() &&
         roster_.can_restart(dead) && waiting + started < parts_.front().share.spare_nodes;
}

// The same host, unless it was silent, and then the other hosts of the job.
std::vector<launch::Host> JobOnHosts::places_for(std::uint32_t node) const {
  std::vector<launch::Host> places;
  for (std::uint32_t i = 0; i < hosts_of_nodes_.size(); ++i) {
    const launch::Host& host = hosts_of_nodes_[(node + i) % hosts_of_nodes_.size()];
    if (std::ranges::find(places, host.name, &launch::Host::name) == places.end())
      places.push_back(host);
  }
  if (hosts_[node].was_silent) std::ranges::rotate(places, places.begin() + 1);
  return places;
}

// The ranks have their numbers, and join alone, like all that are started again.
GrowthPlan JobOnHosts::plan_replacement(const LostNode& lost, std::uint32_t nodes) const {
  Job part = part_of(lost.node);
  part.share.node = nodes;
  part.share.session = {0, ranks_};
  part.share.added_nodes = nodes + 1 - part.share.nodes;
  part.share.incarnations.clear();
  for (const Rank rank : part.node_ranks())
    part.share.incarnations.push_back(roster_.process_of(index(rank)).incarnation);
  part.share.past_changes = roster_.changes();
  part.streams.reader.reset();
  return {.session = part.share.session, .hosts = {lost.places.front()}, .parts = {part}};
}

// Another node has its ranks, and many nodes may be lost in a long job.
void JobOnHosts::forget_part(std::uint32_t node) {
  if (node < parts_.size()) return;
  Job& part = added_[node - parts_.size()];
  Job rest;
  rest.share = part.share;
  rest.streams.reader.reset();
  part = std::move(rest);
}

// Another host is tried. If none is left, the started processes are dead, and others are started if
// a process of the new node has died, as it may do again and again.
void JobOnHosts::replace_elsewhere(LostNode lost, const std::string& reason, Failure how) {
  if (ending_) return;
  lost.places.erase(lost.places.begin());
  if (!lost.places.empty() && !will_end()) {
    wishes_.emplace_front(std::move(lost));
    return;
  }
  RanksDied died{{}, exit_failure, will_end() ? "" : reason};
  for (const Rank rank : part_of(lost.node).node_ranks())
    if (!roster_.is_gone(index(rank))) died.ranks.push_back(roster_.process_of(index(rank)));
  lose(died, how == Failure::death ? std::optional(lost.node) : std::nullopt);
}

// Their agents serve until no host has a rank, or will have one.
void JobOnHosts::release_hosts() {
  if (growing_ || !wishes_.empty()) return;
  const std::vector<std::uint32_t> left = living();
  const bool have_ended =
      std::ranges::all_of(left, [this](std::uint32_t node) { return hosts_[node].has_no_rank; });
  if (have_ended && !left.empty()) actions_.emplace_back(Send{left, AllEnded{}});
}

}  // namespace gondwana::launch
