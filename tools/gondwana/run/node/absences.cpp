#include "run/node/absences.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <utility>

#include "base/exit_status.hpp"
#include "memory/stillness.hpp"
#include "run/io/next_time.hpp"
#include "run/node/diagnosis.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t look_interval_ns = 100'000'000;

}  // namespace

void Absences::on_absent(std::uint32_t rank) {
  const Left left{ranks_.global(rank)};
  if (job_.share.has_conductor()) actions_.emplace_back(left);
  ranks_.leave_out(left.rank);
  next_look_ns_ = 0;
}

void Absences::on(const Left& left, std::uint64_t /*now*/) {
  ranks_.leave_out(left.rank);
  next_look_ns_ = 0;
}

// A rank finalizes, or has ended after finalizing.
void Absences::on(const RankLeaves& /*leaves*/, std::uint64_t /*now*/) {
  deadlock_at_ns_ = deadlock_at_ns_.value_or(0);
}

// An agent that ends may have been told so by its ranks, which then finalize. In a job that
// continues, a signal is reason enough, and the others wait for the news.
void Absences::on(const AgentLost& lost, std::uint64_t now) {
  if (!end_.is_idle()) return;
  if (!lost.error_text.empty()) return end_.end_because(lost.error_text, exit_failure, now);
  const bool is_certain = job_.continues_after_death() && WIFSIGNALED(lost.wait_status);
  lost_agent_ = LostAgent{fmt::format("the node agent on host {} (pid {}) {}", host_, lost.pid,
                                      describe_exit(lost.wait_status)),
                          lost.fault, is_certain ? now : now + lost.pause_ns};
}

void Absences::on(const RanksSeen& seen, std::uint64_t now) {
  bool all_have_finalized = true;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].alive) continue;
    const RankState state = seen.states[rank];
    all_have_finalized = all_have_finalized && state == RankState::finalized;
    if (ranks_.absent().empty() || state == RankState::absent || !end_.is_idle()) continue;
    end_.on(Failed{{Errc::peer_lost,
                    fmt::format("rank {} ended before it joined the job, which rank {} has joined; "
                                "all ranks are ended",
                                *ranks_.absent().begin(), ranks_.global(rank))}},
            now);
  }
  if (!end_.is_idle() || !lost_agent_ || now < lost_agent_->report_at_ns) return;
  // Ranks that have finalized do not miss the agent.
  if (!all_have_finalized && job_.continues_after_death() && seen.others_can_continue)
    leave_job(seen, now);
  else if (!all_have_finalized)
    end_.end_because(
        fmt::format("{}; all ranks are ended{}{}", lost_agent_->sentence,
                    job_.continues_after_death() ? reason_of_end : "", lost_agent_->fault),
        exit_failure, now);
  lost_agent_.reset();
}

// Nobody reaches the ranks of this host any more, so they count as dead.
void Absences::leave_job(const RanksSeen& seen, std::uint64_t now) {
  RanksDied died{{}, exit_failure, lost_agent_->sentence + lost_agent_->fault};
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const RankRecord& record = ranks_[rank];
    if (record.is_awaited) died.ranks.push_back({ranks_.global(rank), record.incarnation + 1});
    if (!record.alive || record.is_dead || seen.states[rank] == RankState::finalized) continue;
    ranks_.lose(rank);
    died.ranks.push_back({ranks_.global(rank), record.incarnation});
  }
  died.is_host_lost = true;
  if (!died.ranks.empty()) actions_.emplace_back(std::move(died));
  end_.kill(now);
}

void Absences::on(const DeadlockSeen& seen, std::uint64_t now) {
  if (!end_.is_idle() || !seen.any_leaves) return;  // --timeout and SIGUSR1 show this case
  // All ranks end on purpose, and one of them answers a message of a rank that has ended.
  if (seen.all_leave) return end_.end_on_purpose(0, now);
  end_.end_because(seen.sentence, exit_failure, now);
}

void Absences::on(const NobodyCanGoOn& seen, std::uint64_t now) {
  if (end_.is_idle()) end_.end_job(exit_failure, seen.sentence, now);
}

void Absences::on_tick(std::uint64_t now) {
  if (!end_.is_idle()) return;
  if (const auto at_ns = look_at_ranks_ns(); at_ns && now >= *at_ns) {
    next_look_ns_ = now + look_interval_ns;
    actions_.emplace_back(LookAtRanks{});
  }
  if (!deadlock_at_ns_ || now < *deadlock_at_ns_) return;
  deadlock_at_ns_ = now + stillness_interval_ns;
  actions_.emplace_back(LookForDeadlock{});
}

std::optional<std::uint64_t> Absences::look_at_ranks_ns() const {
  NextTime next;
  if (!ranks_.absent().empty()) next.consider(next_look_ns_);
  if (lost_agent_) next.consider(lost_agent_->report_at_ns);
  return next.ns();
}

std::optional<std::uint64_t> Absences::next_ns() const {
  NextTime next;
  if (end_.is_idle()) {
    next.consider(look_at_ranks_ns());
    next.consider(deadlock_at_ns_);
  }
  return next.ns();
}

}  // namespace gondwana::launch
