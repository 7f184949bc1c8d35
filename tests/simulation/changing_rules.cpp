// The rules of a ChangingJob.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "simulation/changing_job.hpp"
#include "simulation/changing_process.hpp"

namespace gondwana::simulation {

using namespace launch;  // NOLINT(google-build-using-namespace): its frames

// By then each node with ranks that take part knows of the death.
void ChangingJob::expect_told(const Process& process, Time within) {
  const bool was_well = process.node->is_well;
  std::vector<Node*> nodes;
  for (const auto& node : all_nodes_)
    if (is_of_job(*node) && node->memory) nodes.push_back(node.get());
  schedule_.after(within + 4 * latency_, [this, &process, was_well, nodes] {
    if (is_ending() || !is_counted(process) || process.has_finalized) return;
    if (was_well && !process.node->is_well) return expect_told(process, loss_told_ns);
    for (Node* node : nodes) {
      if (node->is_over || !node->is_well || !node->is_idle()) continue;
      if (!DeathList(*node->memory).has(process.itself()))
        fail(fmt::format("host {} is not told that process {} of rank {} has died", node->name(),
                         process.incarnation, process.rank));
    }
  });
}

void ChangingJob::expect_ranks_told(HostNode& node) {
  is_host_lost_ = true;
  for (const auto& process : processes_)
    if (process->node == &node && process->is_missed()) expect_told(*process, loss_told_ns);
}

void ChangingJob::expect_answer(const Node& node, std::uint32_t request) {
  schedule_.after(40 * second, [this, &node, request] {
    if (requests_[request] || is_ending() || node.is_over || !node.is_well || !node.is_idle())
      return;
    fail(fmt::format("the request {} is not answered", request));
  });
}

// What the conductor hears and says.

void ChangingJob::on_heard(HostNode& /*node*/, const Frame& frame) {
  if (const auto* entry = std::get_if<WorldEntry>(&frame))
    entered_.insert({entry->rank, entry->process});
}

void ChangingJob::on_sent(const Send& send) {
  if (const auto* changes = std::get_if<DeadRanks>(&send.frame)) judge_changes(*changes);
  if (const auto* decision = std::get_if<WorldDecision>(&send.frame)) judge_world(*decision);
  if (const auto* grown = std::get_if<Grown>(&send.frame)) {
    numbers_ = grown->ranks;
    for (HostNode* node : nodes_) own(*node).has_numbers = true;
    if (nodes_.size() != grown->nodes || grown->nodes > parts_[0].share.node_capacity())
      fail(fmt::format("the job has {} nodes, and tells {}", nodes_.size(), grown->nodes));
  }
  if (std::holds_alternative<AllEnded>(send.frame)) judge_all_ended();
  if (std::holds_alternative<End>(send.frame)) judge_end_of_job();
}

// Nodes that are added get the former ones again.
void ChangingJob::judge_changes(const DeadRanks& changes) {
  last_changes_ = std::max(last_changes_, changes.first);
  std::uint32_t number = changes.first;
  for (const RankDeath& change : changes.ranks) {
    judge_change(number, change);
    number += change.how == DeathKind::replaced_death ? 2 : 1;
  }
}

void ChangingJob::judge_change(std::uint32_t number, const RankDeath& change) {
  const auto [known, is_new] = changes_.try_emplace(number, change);
  if (number > last_change_ + 1 || known->second != change)
    fail(fmt::format("change {} has two meanings, or the one before is missing", number));
  if (!is_new) return;
  last_change_ = number + (change.how == DeathKind::replaced_death ? 1 : 0);
  replaced_ += change.how == DeathKind::replaced_death ? 1 : 0;
  const auto found = current_.find(change.process.rank);
  const Process* process = found == current_.end() ? nullptr : found->second;
  for (const auto& [former, other] : changes_)
    if (former < number && other.process == change.process)
      fail(fmt::format("process {} of rank {} has died before", change.process.incarnation,
                       change.process.rank));
  if (process == nullptr || change.how == DeathKind::leave || fails_to_start_) return;
  if (process->is_alive && process->node->is_well && is_of_job(*process->node) &&
      process->incarnation >= change.process.incarnation)
    fail(fmt::format("process {} of rank {} counts as dead, and process {} lives",
                     change.process.incarnation, change.process.rank, process->incarnation));
}

// The processes of a rank are counted, over all nodes.
std::uint32_t ChangingJob::starts_of(std::uint32_t rank, std::uint32_t changes) const {
  std::uint32_t starts = 0;
  for (const auto& [number, change] : changes_)
    if (number <= changes && change.process.rank == rank && change.how == DeathKind::replaced_death)
      ++starts;
  return starts;
}

// A node that takes the place of another one: its ranks have numbers, and no host has them now.
void ChangingJob::judge_part(const Job& part) {
  const Share& share = part.share;
  if (share.node != nodes_.size() || share.node >= share.node_capacity())
    fail(fmt::format("node {} is added, and there are {}", share.node, nodes_.size()));
  if (!share.is_replacement()) return;
  for (std::uint32_t slot = 0; slot < part.ranks(); ++slot) {
    const std::uint32_t rank = share.first + slot;
    const Process* last = current_.contains(rank) ? current_[rank] : nullptr;
    if (share.incarnations.at(slot) != starts_of(rank, last_change_))
      fail(fmt::format("rank {} has been started {} times, and is started as number {}", rank,
                       starts_of(rank, last_change_), share.incarnations[slot]));
    if (last != nullptr && last->is_alive && last->node->is_well && is_of_job(*last->node))
      fail(fmt::format("a node takes the place of rank {}, which lives", rank));
  }
}

// The process, if a node of the job has it.
ChangingJob::Process* ChangingJob::find(const DeadRank& process) const {
  for (const auto& each : processes_)
    if (each->itself() == process && is_of_job(*each->node)) return each.get();
  return nullptr;
}

void ChangingJob::judge_run(const RankRuns& runs) {
  const Process* process = find(runs.process);
  if (process == nullptr || !process->has_run || process->node->number != runs.node)
    fail(fmt::format("process {} of rank {} is said to run on node {}", runs.process.incarnation,
                     runs.process.rank, runs.node));
}

// Messages to the rank go to the node that has it.
void ChangingJob::judge_place(const Process& process, std::uint32_t rank) {
  const NodeMemory& memory = *process.node->memory;
  const Process* other = find({rank, process.deaths().replacements_of(Rank(rank))});
  const std::uint32_t node = memory.roster().where(Rank(rank)).node;
  if (other == nullptr || other->node->number != node)
    fail(fmt::format("host {} looks for rank {} on node {}", process.node->name(), rank, node));
  if (node != process.node->number && memory.entry(node).state.load() != NodeState::known)
    fail(fmt::format("host {} cannot reach node {}", process.node->name(), node));
}

bool ChangingJob::is_counted(const Process& process) const {
  return is_of_job(*process.node) && process.node->has_numbers && process.rank < numbers_;
}

// All that live after these changes have entered, and no other process of them. Of deaths that were
// numbered together the first may complete it.
void ChangingJob::judge_world(const WorldDecision& decision) {
  if (decision.size != numbers_ || decision.deaths < last_changes_ ||
      decision.deaths > last_change_)
    fail(fmt::format("a world of {} ranks after {} changes, and there are {} and {}", decision.size,
                     decision.deaths, numbers_, last_change_));
  last_decided_ = decision.turn;
  std::map<std::uint32_t, RankDeath> last;
  std::map<std::uint32_t, std::uint32_t> starts;
  for (const auto& [number, change] : changes_) {
    if (number > decision.deaths) break;
    last[change.process.rank] = change;
    if (change.how == DeathKind::replaced_death) ++starts[change.process.rank];
  }
  for (std::uint32_t rank = 0; rank < decision.size; ++rank) {
    const bool lives = !last.contains(rank) || last[rank].how == DeathKind::replaced_death;
    if (lives && !entered_.contains({rank, starts[rank]}))
      fail(fmt::format("the world {} has rank {}, which has not entered", decision.turn, rank));
  }
  entered_.clear();
}

void ChangingJob::judge_all_ended() {
  have_all_ended_ = true;
  for (const auto& process : processes_)
    if (process->is_missed() && process->node->is_well && is_of_job(*process->node))
      fail(fmt::format("all ranks have ended, and rank {} lives", process->rank));
}

// Ranks.

void ChangingJob::judge(std::map<std::vector<std::uint64_t>, Agreed>& known,
                        std::vector<std::uint64_t> which, const Agreed& agreed) {
  const auto [first, is_new] = known.try_emplace(std::move(which), agreed);
  if (first->second == agreed) return;
  fail(fmt::format("ranks disagree: members {} after {} deaths, and {} after {}",
                   fmt::join(first->second.members, ","), first->second.deaths,
                   fmt::join(agreed.members, ","), agreed.deaths));
}

// Calls to the members of a new world do not fail, unless they have died since.
void ChangingJob::judge_members(const Process& process, const Agreed& agreed) {
  const DeathList list = process.deaths();
  if (std::ranges::find(agreed.members, process.rank) == agreed.members.end())
    fail(fmt::format("rank {} has a world without itself", process.rank));
  for (const std::uint32_t rank : agreed.members) {
    if (list.place_of(Rank(rank)) > agreed.deaths) continue;
    if (list.has(Rank(rank)) || !has_begun(*process.node, rank))
      fail(
          fmt::format("rank {} has a world with rank {}, and cannot reach it", process.rank, rank));
    else if (has_conductor())
      judge_place(process, rank);
  }
}

// Words and lines of a number are never used with the same epoch again, by no process of a rank. A
// process of a lost node may begin later than the one that has replaced it. The others ignore its
// messages.
void ChangingJob::judge_number(Process& process, std::uint32_t number, std::uint64_t epoch) {
  if (current_[process.rank] != &process) return;
  std::uint64_t& last = epochs_[{process.rank, number}];
  if (epoch < last)
    fail(fmt::format("team {} of rank {} begins at {}, and was at {} before", number, process.rank,
                     epoch, last));
  last = epoch;
}

// Calls of a process that does not know of the death may still write to the memory.
void ChangingJob::judge_renewal(const Node& node, std::uint32_t rank) {
  if (schedule_.now() >= node.awaited_until) return;
  const std::uint32_t death = node.memory->death(Rank(rank)).number;
  for (const auto& process : processes_)
    if (process->node == &node && process->is_alive && process->has_joined &&
        node.wire->state(process->slot()) == RankState::running && process->known < death)
      fail(fmt::format("the memory of rank {} is emptied, and rank {} does not know of its death",
                       rank, process->rank));
}

// The end.

void ChangingJob::on_end_begins(HostNode& node) {
  if (!node.is_well || may_end() || ends_ || !is_of_job(node)) return;
  const bool serves_others =
      has_conductor() && job_.restart.times > 0 && !have_all_ended_ && own(node).has_numbers;
  for (const auto& process : processes_) {
    if (!process->is_missed() || !is_counted(*process) || !process->node->is_well) continue;
    if (process->node == &node)
      fail(fmt::format("host {} ends, and rank {} could go on", node.name(), process->rank));
    else if (serves_others)
      fail(fmt::format("host {} ends, and rank {} needs its agent", node.name(), process->rank));
  }
}

void ChangingJob::judge_end_of_job() {
  if (may_end()) return;
  for (const auto& process : processes_)
    if (process->is_missed() && process->node->is_well && is_counted(*process))
      fail(fmt::format("the job ends, and rank {} could go on", process->rank));
}

void ChangingJob::judge_end() {
  if (!is_over()) fail("the job does not end");
  for (const auto& process : processes_)
    if (process->is_alive) fail(fmt::format("rank {} waits forever", process->rank));
  for (const auto& [request, is_answered] : requests_)
    if (!is_answered && !has_conductor())
      fail(fmt::format("the request {} is not answered", request));
  if (std::max(restarts_, replaced_) > job_.restart.times)
    fail(fmt::format("{} restarts, and {} are allowed", std::max(restarts_, replaced_),
                     job_.restart.times));
  if (may_end() || is_host_lost_) return;
  const int status = has_conductor() ? conductor_->outcome().of_job()
                                     : nodes_.front()->guardian->end().outcome().of_job();
  if (any_ended_well_ && !is_killed_late_ && status != 0)
    fail(fmt::format("the job has the status {}, and ranks have finalized", status));
}

}  // namespace gondwana::simulation
