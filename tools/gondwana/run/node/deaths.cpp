#include "run/node/deaths.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "base/exit_status.hpp"
#include "run/io/next_time.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t lost_program_grace_ns = 1'000'000'000;
constexpr std::uint64_t recheck_ns = 100'000'000;

}  // namespace

void LostPrograms::add(std::uint32_t rank, pid_t pid, Remains remains, std::uint64_t now) {
  forget(rank);
  programs_.push_back({rank, pid, std::move(remains), now + lost_program_grace_ns});
}

void LostPrograms::forget(std::uint32_t rank) {
  std::erase_if(programs_, [rank](const Program& program) { return program.rank == rank; });
}

const LostPrograms::Program* LostPrograms::find(std::uint32_t rank) const {
  const auto found = std::ranges::find(programs_, rank, &Program::rank);
  return found != programs_.end() ? &*found : nullptr;
}

const LostPrograms::Program* LostPrograms::overdue(std::uint64_t now) const {
  return !programs_.empty() && now >= programs_.front().due_ns ? &programs_.front() : nullptr;
}

std::optional<std::uint64_t> LostPrograms::next_ns() const {
  return programs_.empty() ? std::nullopt : std::optional(programs_.front().due_ns);
}

bool LostPrograms::wait_longer(std::uint32_t rank, const ProcessorUse& use, std::uint64_t now) {
  const auto found = std::ranges::find(programs_, rank, &Program::rank);
  if (found == programs_.end()) return true;
  if (!found->respite) found->respite.emplace(lost_program_grace_ns, now);
  if (!found->respite->lasts(use, now)) return false;
  found->due_ns = now + recheck_ns;
  return true;
}

void Deaths::on(const RankEnded& ended, std::uint64_t now) {
  const auto& [rank, wait_status, remains, oom, others_can_continue] = ended;
  forget(rank);
  ranks_.end(rank);
  const int status = exit_status(wait_status);
  if (!end_.is_idle() || ranks_[rank].is_dead || ranks_[rank].has_left) return settle(rank, status);
  if (ranks_[rank].is_unwanted && others_can_continue) {
    on(RankLeft{rank}, now);
    actions_.emplace_back(Said{
        fmt::format("rank {} has ended at the request of `gondwana shrink`", ranks_.global(rank))});
    const bool is_by_us = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGTERM;
    return settle(rank, is_by_us ? 0 : status);
  }
  // Others know that a rank was added or started again, and wait for it, whatever its status.
  const bool is_later = ranks_[rank].incarnation > 0 || rank >= job_.ranks();
  const bool was_awaited = is_later && remains.state < RankState::running && others_can_continue &&
                           job_.continues_after_death();
  if (!ends_job(wait_status, remains.state) && !was_awaited) {
    if (status == 0 && remains.state == RankState::absent) absences_.on_absent(rank);
    if (remains.state == RankState::finalized) absences_.on(RankLeaves{}, now);
    return settle(rank, status);
  }
  Death death = death_of(rank, ranks_[rank].pid, remains);
  death.wait_status = wait_status;
  death.oom = oom;
  if (survives(rank, death, status, others_can_continue, Starter::has_ended))
    return settle(rank, status);
  end_.end_because(describe_end(rank, death, others_can_continue),
                   status != 0 ? status : exit_failure, now);
}

std::string Deaths::describe_end(std::uint32_t rank, const Death& death,
                                 bool others_can_continue) const {
  const std::uint32_t others = ranks_.all_alive();
  if (ranks_[rank].is_replaced) return describe_replaced(death, others);
  const bool is_refused = job_.continues_after_death() && !others_can_continue;
  return describe(death, others) + (is_refused ? std::string(reason_of_end) : "");
}

// The status of a dead rank counts only if no other rank lives. The conductor knows whether one
// does.
void Deaths::settle(std::uint32_t rank, int status) {
  if (!ranks_[rank].is_dead) return end_.settle(status);
  if (ranks_[rank].is_awaited || job_.share.has_conductor()) return;
  if (first_status_ == 0) first_status_ = status != 0 ? status : exit_failure;
  if (ranks_.alive() == 0 && survived_.size() == ranks_.size()) end_.settle(first_status_);
}

bool Deaths::survives(std::uint32_t rank, const Death& death, int status, bool others_can_continue,
                      Starter starter) {
  if (!job_.continues_after_death() || !others_can_continue || ranks_[rank].is_replaced)
    return false;
  const bool can_restart = starter == Starter::has_ended && restarts_ < job_.restart.times;
  const DeadRank process{ranks_.global(rank), ranks_[rank].incarnation};
  if (can_restart && job_.share.has_conductor()) {
    ranks_.await(rank);
    report(process, status, describe(death, 0), true);
  } else if (can_restart) {
    restart(rank, death);
  } else {
    lose(rank, process.incarnation, status, describe(death, 0));
  }
  return true;
}

void Deaths::report(const DeadRank& process, int status, const std::string& sentence,
                    bool can_restart) {
  const int of_rank = status != 0 ? status : exit_failure;
  actions_.emplace_back(RanksDied{{process},
                                  static_cast<std::uint32_t>(of_rank),
                                  sentence,
                                  can_restart ? DeathKind::replaced_death : DeathKind::death});
}

void Deaths::restart(std::uint32_t rank, const Death& death) {
  const std::uint32_t incarnation = ranks_[rank].incarnation;
  ranks_.await(rank);
  actions_.emplace_back(TellDeath{{ranks_.global(rank), incarnation}, DeathKind::replaced_death});
  actions_.emplace_back(Said{fmt::format("{}; it is started again, restart {} of {}",
                                         describe(death, 0), ++restarts_, job_.restart.times)});
  actions_.emplace_back(RestartRank{rank});
}

void Deaths::lose(std::uint32_t rank, std::uint32_t incarnation, int status,
                  const std::string& sentence) {
  ranks_.lose(rank);
  const std::uint32_t global = ranks_.global(rank);
  if (job_.share.has_conductor()) return report({global, incarnation}, status, sentence, false);
  survived_.insert(std::ranges::upper_bound(survived_, global), global);
  const auto left = static_cast<std::uint32_t>(ranks_.size() - survived_.size());
  const bool is_spent = job_.restart.times > 0 && restarts_ == job_.restart.times;
  actions_.emplace_back(TellDeath{{global, incarnation}});
  actions_.emplace_back(Said{fmt::format("{}{}{}", sentence, is_spent ? "; no restart is left" : "",
                                         describe_continued(left))});
}

void Deaths::on(const NotRestarted& failed, std::uint64_t /*now*/) {
  ranks_.abandon(failed.rank);
  if (!end_.is_idle()) return;
  lose(failed.rank, ranks_[failed.rank].incarnation + 1, exit_failure,
       fmt::format("rank {} cannot be started again: {}", ranks_.global(failed.rank),
                   failed.reason));
  settle(failed.rank, exit_failure);
}

// Its own deaths come back to this host with their numbers.
void Deaths::on(const DeathsTold& told, std::uint64_t now) {
  if (!end_.is_idle()) return;
  if (!told.others_can_continue)
    return end_.end_because(fmt::format("rank {} has died, and the ranks of host {} cannot "
                                        "continue without it; all ranks are ended",
                                        told.dead.ranks.front().process.rank, host_),
                            exit_failure, now);
  for (const RankDeath& death : told.dead.ranks) follow(death);
}

void Deaths::follow(const RankDeath& death) {
  actions_.emplace_back(TellDeath{death.process, death.how});
  const std::optional<std::uint32_t> rank = ranks_.local(death.process.rank);
  if (!rank || !ranks_[*rank].is_awaited) return;
  if (death.how == DeathKind::replaced_death)
    actions_.emplace_back(RestartRank{*rank});
  else
    ranks_.abandon(*rank);
}

void Deaths::on(const RankArrived& arrived, std::uint64_t /*now*/) {
  const DeadRank process{ranks_.global(arrived.rank), ranks_[arrived.rank].incarnation};
  if (process.incarnation == 0)
    actions_.emplace_back(Arrived{process.rank});
  else
    actions_.emplace_back(RankRuns{process, job_.share.node});
}

void Deaths::on(const RankLeft& left, std::uint64_t /*now*/) {
  ranks_.leave(left.rank);
  const DeadRank process{ranks_.global(left.rank), ranks_[left.rank].incarnation};
  if (job_.share.has_conductor())
    return static_cast<void>(actions_.emplace_back(RanksDied{{process}, 0, "", DeathKind::leave}));
  actions_.emplace_back(TellDeath{process, DeathKind::leave});
}

void Deaths::on(const ProgramLost& lost, std::uint64_t now) {
  programs_.add(lost.rank, lost.pid, lost.remains, now);
}

void Deaths::on(const StarterSeen& seen, std::uint64_t now) {
  if (programs_.wait_longer(seen.rank, seen.use, now)) return;
  const auto [rank, pid, remains, due_ns, respite] = *programs_.find(seen.rank);
  if (remains.state == RankState::absent) {
    absences_.on_absent(rank);
  } else if (end_.is_idle() && remains.state != RankState::finalized) {
    const Death death = death_of(rank, pid, remains);
    if (survives(rank, death, exit_failure, seen.others_can_continue, Starter::lives))
      return programs_.forget(rank);
    end_.end_because(ranks_[rank].is_replaced ? describe_replaced(death, others())
                                              : describe_under(ranks_[rank].pid, death, others()),
                     exit_failure, now);
  }
  programs_.forget(rank);
}

// A program that ends is reported elsewhere. A program that never called shmem_init may exec the
// program that becomes the rank, and a rank that has finalized may run any program.
void Deaths::on(const ImageLost& lost, std::uint64_t now) {
  if (lost.is_replaced) ranks_.replace(lost.rank);
  const LostPrograms::Program* first = images_.find(lost.rank);
  if (first == nullptr)
    return images_.add(lost.rank, lost.pid, {RankState::running, lost.place}, now);
  // The place is from before the exec, because the rank no longer waits there.
  const Death death = death_of(lost.rank, lost.pid, first->remains);
  images_.forget(lost.rank);
  if (!ranks_[lost.rank].is_replaced || !end_.is_idle()) return;
  end_.end_because(describe_replaced(death, ranks_.all_alive() - 1), exit_failure, now);
}

// The conductor decides for the members.
void Deaths::on(const ShrinkEntry& entry, std::uint64_t /*now*/) {
  if (end_.is_idle() && job_.share.has_conductor()) actions_.emplace_back(entry);
}

void Deaths::on(const WorldEntry& entry, std::uint64_t /*now*/) {
  if (end_.is_idle() && job_.share.has_conductor()) actions_.emplace_back(entry);
}

void Deaths::on_tick(std::uint64_t now) {
  if (const auto* program = programs_.overdue(now))
    actions_.emplace_back(LookAtStarter{program->rank});
  if (const auto* image = images_.overdue(now))
    actions_.emplace_back(LookAtImage{image->rank, image->pid});
}

std::optional<std::uint64_t> Deaths::next_ns() const {
  NextTime next;
  next.consider(programs_.next_ns());
  next.consider(images_.next_ns());
  return next.ns();
}

bool Deaths::is_there(std::uint32_t rank) const {
  return ranks_[rank].alive && !ranks_[rank].is_dead && programs_.find(rank) == nullptr &&
         images_.find(rank) == nullptr;
}

void Deaths::forget(std::uint32_t rank) {
  programs_.forget(rank);
  images_.forget(rank);
}

Death Deaths::death_of(std::uint32_t rank, pid_t pid, Remains remains) const {
  return {.rank = ranks_.global(rank), .host = host_, .pid = pid, .remains = std::move(remains)};
}

std::uint32_t Deaths::others() const {
  std::uint32_t there = ranks_.all_alive() - ranks_.alive();
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) there += is_there(rank) ? 1 : 0;
  return there;
}

}  // namespace gondwana::launch
