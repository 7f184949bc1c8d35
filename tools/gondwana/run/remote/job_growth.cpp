// How a conductor changes its job while it runs: ranks that are added on further nodes, ranks that
// leave, and worlds on which they agree.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "run/node/departures.hpp"
#include "run/node/growth.hpp"
#include "run/remote/job_on_hosts.hpp"

namespace gondwana::launch {

namespace {

// The host does not know that the job continues.
std::string cause_alone(const std::string& sentence) {
  return sentence.substr(0, sentence.rfind("; the other "));
}

}  // namespace

const Job& JobOnHosts::part_of(std::uint32_t node) const {
  return node < parts_.size() ? parts_[node] : added_[node - parts_.size()];
}

const Program& JobOnHosts::program_of(std::uint32_t rank) const {
  for (const std::vector<Job>* parts : {&parts_, &added_})
    for (const Job& part : *parts)
      if (part.node_ranks().holds(Rank(rank)))
        return own_program(part, {}, rank - part.share.first);
  return job_.programs.front();
}

// The frames that are no part of the life of a host. False: the frame is none of them.
bool JobOnHosts::on_news(std::uint32_t node, const Frame& frame) {
  const NodeRanks ranks = part_of(node).node_ranks();
  if (const auto* more = std::get_if<MoreWanted>(&frame)) return on(node, *more), true;
  if (const auto* leave = std::get_if<LeaveWanted>(&frame)) return on(node, *leave), true;
  const auto* arrived = std::get_if<Arrived>(&frame);
  if (arrived != nullptr && ranks.holds(Rank(arrived->rank)) && arrived->rank < ranks_) {
    roster_.arrive(arrived->rank);
    actions_.emplace_back(Send{informed(), *arrived});
    count_in(arrived->rank);
    return true;
  }
  const auto* entry = std::get_if<WorldEntry>(&frame);
  if (entry != nullptr && ranks.holds(Rank(entry->rank))) return decide(world_.enter(*entry)), true;
  return false;
}

void JobOnHosts::decide(const std::optional<WorldDecision>& decision) {
  if (decision && !is_over()) actions_.emplace_back(Send{informed(), *decision});
}

void JobOnHosts::answer(std::uint32_t node, const Answer& answer) {
  if (!hosts_[node].life.is_over()) actions_.emplace_back(Send{{node}, answer});
}

// One wish after the other, because the numbers follow each other.
void JobOnHosts::on(std::uint32_t node, const MoreWanted& wanted) {
  // A user may ask on a host that is being added. It may be dropped before there is an answer.
  if (is_added(node))
    return answer(node, {wanted.asker, 0, true, "this host is being added to the job; try again"});
  wishes_.emplace_back(Wish{node, wanted});
  begin_growth();
}

void JobOnHosts::begin_growth() {
  while (!growing_ && !wishes_.empty()) {
    const auto why = std::move(wishes_.front());
    wishes_.pop_front();
    const auto nodes = static_cast<std::uint32_t>(parts_.size() + added_.size());
    const auto* wish = std::get_if<Wish>(&why);
    if (wish == nullptr && will_end()) {
      replace_elsewhere(std::get<LostNode>(why), "", Failure::refusal);
      continue;
    }
    Result<GrowthPlan> plan =
        wish != nullptr ? plan_for(*wish, nodes) : plan_replacement(std::get<LostNode>(why), nodes);
    if (!plan) {
      answer(wish->node, {wish->wanted.asker, 0, true, plan.error().text});
      continue;
    }
    growing_ = Growing{why, plan->session, nodes};
    added_.insert(added_.end(), plan->parts.begin(), plan->parts.end());
    hosts_of_nodes_.insert(hosts_of_nodes_.end(), plan->hosts.begin(), plan->hosts.end());
    nodes_.resize(nodes + static_cast<std::uint32_t>(plan->parts.size()));
    actions_.emplace_back(StartHosts{nodes, *std::move(plan)});
  }
}

Result<GrowthPlan> JobOnHosts::plan_for(const Wish& wish, std::uint32_t nodes) const {
  if (will_end() || roster_.alive() == 0) return Error{Errc::refused, "the job ends"};
  Result<GrowthPlan> plan =
      plan_growth(job_, parts_.front(), program_of(wish.wanted.from), {ranks_, nodes}, wish.wanted);
  if (plan && !nodes_.is_complete())
    return Error{Errc::refused, "no rank of the job has joined yet on some host"};
  return plan;
}

// All hosts have the rows of the new nodes.
void JobOnHosts::finish_growth() {
  const Growing done = *std::exchange(growing_, std::nullopt);
  ranks_ = done.session.end();
  if (const auto* wish = std::get_if<Wish>(&done.why)) {
    Joining& joining = joining_.emplace_back(Joining{done.session, {}});
    for (std::uint32_t rank = done.session.first; rank < ranks_; ++rank)
      joining.missing.insert(rank);
    world_.grow(ranks_);
    roster_.grow(ranks_);
    send_to_all(Grown{ranks_, nodes_.size()});
    answer(wish->node, {wish->wanted.asker, done.session.first, false,
                        fmt::format("more ranks start, from rank {} on", done.session.first)});
  } else {
    send_to_all(Grown{ranks_, nodes_.size()});
    forget_part(std::get<LostNode>(done.why).node);
  }
  begin_growth();
  release_hosts();
}

// The others of its session wait for a rank that has not run, so they must know.
void JobOnHosts::leave(const DeadRank& rank) {
  for (Joining& joining : joining_)
    if (joining.session.first <= rank.rank && rank.rank < joining.session.end() &&
        !joining.missing.contains(rank.rank))
      return joining.leaving.push_back(rank);
  number_leave(rank);
}

// The rank runs, or will not.
void JobOnHosts::count_in(std::uint32_t rank) {
  std::vector<DeadRank> leaving;
  std::erase_if(joining_, [&](Joining& joining) {
    joining.missing.erase(rank);
    if (!joining.missing.empty()) return false;
    std::ranges::move(joining.leaving, std::back_inserter(leaving));
    return true;
  });
  for (const DeadRank& each : leaving) number_leave(each);
}

// It may have died meanwhile.
void JobOnHosts::number_leave(const DeadRank& rank) {
  if (!roster_.has(rank)) return;
  const std::uint32_t first = roster_.changes() + 1;
  roster_.leave(rank);
  number(first, {{rank, DeathKind::leave}});
}

// The numbers of these ranks and nodes have not been told, so others will have them.
void JobOnHosts::fail_growth(const std::string& reason, Failure how) {
  if (!growing_) return;
  const Growing failed = *std::exchange(growing_, std::nullopt);
  for (std::uint32_t node = failed.first; node < hosts_.size(); ++node) {
    if (hosts_[node].life.is_over()) continue;
    hosts_[node].life.end();
    --living_;
    times_.set(node, std::nullopt);
    actions_.emplace_back(CloseHost{node, true});
  }
  hosts_.erase(hosts_.begin() + std::min<std::ptrdiff_t>(failed.first, std::ssize(hosts_)),
               hosts_.end());
  added_.resize(failed.first - parts_.size());
  hosts_of_nodes_.resize(failed.first);
  nodes_.resize(failed.first);
  actions_.emplace_back(DropHosts{failed.first});
  if (const auto* wish = std::get_if<Wish>(&failed.why))
    answer(wish->node, {wish->wanted.asker, 0, true, reason});
  else
    replace_elsewhere(std::get<LostNode>(failed.why), reason, how);
  begin_growth();
  release_hosts();
}

// Whether the frame shows that a host that is being added cannot be part of the job. Its ranks have
// no numbers yet by which others could know of a death.
bool JobOnHosts::fails_growth(std::uint32_t node, const Frame& frame) {
  if (!is_added(node) || ending_) return false;
  const std::string& host = hosts_[node].life.name();
  const auto* stopping = std::get_if<Stopping>(&frame);
  const auto* died = std::get_if<RanksDied>(&frame);
  if (stopping != nullptr && !stopping->is_on_purpose) {
    fail_growth(cause_alone(stopping->sentence));
  } else if (died != nullptr && !died->sentence.empty()) {
    fail_growth(died->sentence);
  } else if (std::holds_alternative<Ended>(frame) || std::holds_alternative<Left>(frame) ||
             died != nullptr) {
    fail_growth(fmt::format("a rank on host {} has ended before it joined the job", host));
  } else {
    return false;
  }
  return true;
}

// The deaths before a host was added, the processes that have been started again, and the ranks
// that were added.
void JobOnHosts::tell_past(std::uint32_t node) {
  if (!is_added(node)) return;
  for (const DeadRanks& change : changes_) actions_.emplace_back(Send{{node}, change});
  for (const auto& [process, its_node] : roster_.replacements())
    actions_.emplace_back(Send{{node}, RankRuns{process, its_node}});
  for (const std::uint32_t rank : roster_.arrived())
    actions_.emplace_back(Send{{node}, Arrived{rank}});
}

// The hosts that know the past, or need not know it.
std::vector<std::uint32_t> JobOnHosts::informed() const {
  std::vector<std::uint32_t> nodes = living();
  std::erase_if(nodes, [this](std::uint32_t node) {
    return is_added(node) && !hosts_[node].life.has_said_hello();
  });
  return nodes;
}

Result<void> JobOnHosts::admit(const LeaveWanted& wanted) const {
  const auto refused = [](std::string text) { return Error{Errc::refused, std::move(text)}; };
  if (ending_) return refused("the job ends");
  if (!job_.max_ranks && !job_.continues_after_death()) return cannot_lose_ranks();
  if (wanted.ranks.empty()) return refused("no rank is named");
  for (const std::uint32_t rank : wanted.ranks) {
    if (rank >= ranks_)
      return refused(fmt::format("rank {}: this job has ranks 0 to {}", rank, ranks_ - 1));
    if (roster_.is_gone(rank)) return refused(fmt::format("rank {} has ended", rank));
  }
  if (wanted.ranks.size() >= roster_.alive()) return none_would_be_left();
  return {};
}

void JobOnHosts::on(std::uint32_t node, const LeaveWanted& wanted) {
  if (const Result<void> admitted = admit(wanted); !admitted)
    return answer(node, {wanted.asker, 0, true, admitted.error().text});
  send_to_all(Dismissed{wanted.ranks});
  answer(node, {wanted.asker, 0, false, describe_dismissed(wanted.ranks)});
}

}  // namespace gondwana::launch
