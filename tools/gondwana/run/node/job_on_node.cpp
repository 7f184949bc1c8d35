#include "run/node/job_on_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "memory/rank_report.hpp"
#include "run/io/next_time.hpp"
#include "run/node/departures.hpp"
#include "run/node/growth.hpp"

namespace gondwana::launch {

JobOnNode::JobOnNode(const Job& job, const std::string& host, std::uint64_t now)
    : job_(job),
      ranks_(job.node_ranks(), job.share.size(), job.share.incarnations),
      end_(job, host, ranks_, actions_, now),
      absences_(job, host, ranks_, end_, actions_),
      deaths_(job, host, ranks_, end_, absences_, actions_) {}

NodeActions JobOnNode::handle(const NodeEvent& event, std::uint64_t now) {
  if (const auto* started = std::get_if<RankStarted>(&event)) {
    ranks_.start(started->rank, started->pid);
  } else if (const auto* wanted = std::get_if<RanksWanted>(&event)) {
    on(*wanted);
  } else if (const auto* unwanted = std::get_if<RanksUnwanted>(&event)) {
    on(*unwanted);
  } else if (const auto* failed = std::get_if<RanksFailed>(&event)) {
    on(*failed);
  } else if (const auto* dismissed = std::get_if<Dismissed>(&event)) {
    on(*dismissed);
  } else if (const auto* answer = std::get_if<Answer>(&event)) {
    on(*answer);
  } else if (const auto* arrived = std::get_if<RankArrived>(&event)) {
    if (job_.share.has_conductor()) deaths_.on(*arrived, now);
  } else if (const auto* joined = std::get_if<RankJoined>(&event)) {
    ranks_.join(joined->rank, joined->program);
    deaths_.on_join(joined->rank);
    // Programs that never join need no network.
    if (job_.share.nodes > 1) actions_.emplace_back(NeedAgent{});
  } else if (std::holds_alternative<Tick>(event)) {
    deaths_.on_tick(now);
    absences_.on_tick(now);
    end_.on_tick(now);
  } else {
    std::visit(
        [&](const auto& it) {
          if constexpr (requires { deaths_.on(it, now); })
            deaths_.on(it, now);
          else if constexpr (requires { absences_.on(it, now); })
            absences_.on(it, now);
          else if constexpr (requires { end_.on(it, now); })
            end_.on(it, now);
        },
        event);
  }
  return std::exchange(actions_, {});
}

void JobOnNode::on(const RanksWanted& wanted) {
  const bool is_of_rank = wanted.asker < protocol::max_ranks;
  if (job_.share.has_conductor() && end_.is_idle()) {
    const std::uint32_t from = is_of_rank ? ranks_.global(wanted.asker) : 0;
    if (is_of_rank) askers_.push_back({wanted.asker, ranks_[wanted.asker].pid});
    actions_.emplace_back(MoreWanted{wanted.asker, from, wanted.ranks, wanted.command});
    return;
  }
  if (!wanted.command.hosts.empty()) {
    actions_.emplace_back(RefuseRanks{
        wanted.asker,
        "this job runs on one host; start it with `gondwana run --hosts` on two hosts or more"});
    return;
  }
  const Result<Session> session = admit_more(job_, ranks_, !end_.is_idle(), wanted.ranks);
  if (!session) {
    actions_.emplace_back(RefuseRanks{wanted.asker, session.error().text});
    return;
  }
  ranks_.add(wanted.ranks);
  added_.push_back({wanted.asker, launch::program_of(job_, added_, wanted), *session});
  actions_.emplace_back(added_.back());
}

// The conductor answers in order. The process that asked may have died, and another one that has
// its place has not asked, or has its own answer to come.
void JobOnNode::on(const Answer& answer) {
  if (answer.asker >= protocol::max_ranks)
    return static_cast<void>(
        actions_.emplace_back(AnswerUser{answer.asker, answer.is_refused, answer.text}));
  const auto asker = std::ranges::find(askers_, answer.asker, &Asker::rank);
  if (asker == askers_.end()) return;
  const pid_t pid = asker->pid;
  askers_.erase(asker);
  if (!ranks_[answer.asker].alive || ranks_[answer.asker].pid != pid) return;
  if (answer.is_refused)
    actions_.emplace_back(RefuseRanks{answer.asker, answer.text});
  else
    actions_.emplace_back(RanksStart{answer.asker, answer.first});
}

void JobOnNode::dismiss(std::uint32_t number) {
  const std::uint32_t rank = number - ranks_.global(0);
  ranks_.dismiss(rank);
  actions_.emplace_back(AskToLeave{rank});
}

void JobOnNode::on(const Dismissed& dismissed) {
  for (const std::uint32_t number : dismissed.ranks)
    if (ranks_.here().holds(Rank(number)) && deaths_.is_there(number - ranks_.global(0)))
      dismiss(number);
}

void JobOnNode::on(const RanksUnwanted& unwanted) {
  if (job_.share.has_conductor() && end_.is_idle() && unwanted.others_can_continue) {
    actions_.emplace_back(LeaveWanted{unwanted.asker, unwanted.ranks});
    return;
  }
  const Result<void> admitted =
      admit_departures(job_, ranks_, !end_.is_idle(), unwanted.others_can_continue, unwanted.ranks);
  if (!admitted) {
    actions_.emplace_back(AnswerUser{unwanted.asker, true, admitted.error().text});
    return;
  }
  for (const std::uint32_t number : unwanted.ranks) dismiss(number);
  actions_.emplace_back(AnswerUser{unwanted.asker, false, describe_dismissed(unwanted.ranks)});
}

const Program& JobOnNode::program_of(std::uint32_t rank) const {
  return own_program(job_, added_, rank);
}

// Their numbers are spent: the others know them as dead.
void JobOnNode::on(const RanksFailed& failed) {
  for (std::uint32_t i = 0; i < failed.session.ranks; ++i) {
    const std::uint32_t rank = failed.session.first + i - ranks_.global(0);
    ranks_.lose(rank);
    actions_.emplace_back(TellDeath{{ranks_.global(rank)}, DeathKind::death});
  }
}

std::optional<std::uint64_t> JobOnNode::next_ns() const {
  NextTime next;
  next.consider(end_.next_ns());
  next.consider(deaths_.next_ns());
  next.consider(absences_.next_ns());
  return next.ns();
}

// Says nothing about programs that never ask to join, such as hostname.
std::string JobOnNode::describe_absent() const {
  const std::vector<std::uint32_t> silent = ranks_.silent();
  if (end_.outcome().status || silent.empty()) return {};
  return fmt::format("rank{} {} ended without a call of shmem_init or gex_Client_Init",
                     silent.size() == 1 ? "" : "s", format_ranks(silent));
}

std::string JobOnNode::describe_dead() const {
  return launch::describe_dead(deaths_.survived(), ranks_.size(), deaths_.restarts(), true);
}

}  // namespace gondwana::launch
