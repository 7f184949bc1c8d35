// The part of the guardian that looks after the ranks: how they join, and how they end.
#include <fmt/format.h>
#include <sys/epoll.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include "base/exit_status.hpp"
#include "bootstrap/protocol.hpp"
#include "core/machine.hpp"
#include "memory/live.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/guardian.hpp"

namespace gondwana::launch {

// All others are orphans of the ranks, which only need to be reaped.
void Guardian::on_child_ended(pid_t pid, int wait_status) {
  if (pid == agent_.pid) on_agent_ended(wait_status);
  if (const auto found = rank_of_.find(pid); found != rank_of_.end()) {
    const std::uint32_t rank = found->second;
    rank_of_.erase(found);
    on_rank_ended(rank, wait_status);
  }
}

void Guardian::on_rank_ended(std::uint32_t rank, int wait_status) {
  RankRecord& record = ranks_[rank];
  // What it said last, such as the status for all, counts before how it ended.
  if (record.socket) on_socket(rank);
  close_socket(rank);
  programs_.forget(rank);
  images_.forget(rank);
  record.alive = false;
  --alive_;
  if (::kill(-record.pid, 0) != 0 && errno == ESRCH) {
    sweeper_.remove(record.pid);
    ending_.remove_group(record.pid);
  }
  if (job_.reader == global(rank)) input_.stop();
  const int status = exit_status(wait_status);
  if (ending_.state() != Ending::State::idle) return settle(status);

  Death death{.rank = global(rank),
              .pid = record.pid,
              .wait_status = wait_status,
              .ended_ns = monotonic_ns(),
              .joined = wire_.has_joined(rank),
              .page = wire_.page(rank)};
  if (!ends_job(death)) {
    if (status == 0 && wire_.state(rank) == RankState::absent) on_absent(rank);
    if (wire_.state(rank) == RankState::finalized) on_leaving();
    return settle(status);
  }
  if (status == exit_signal_base + SIGKILL) death.oom = oom_.look();
  end_job_because(
      record.is_replaced ? describe_replaced(death, all_alive()) : describe(death, all_alive()),
      status != 0 ? status : exit_failure);
}

void Guardian::on_program_lost(const ProgramWatch::Ended& program) {
  const auto& [rank, pid, at_ns] = program;
  if (programs_.wait_longer(family_of(ranks_[rank].pid))) return;
  if (wire_.state(rank) == RankState::absent) {
    on_absent(rank);
  } else if (ending_.state() == Ending::State::idle && wire_.state(rank) != RankState::finalized) {
    const Death death{.rank = global(rank),
                      .pid = pid,
                      .ended_ns = at_ns,
                      .joined = true,
                      .page = wire_.page(rank)};
    const auto others =
        static_cast<std::uint32_t>(survivors().size()) + job_.share.total - job_.ranks();
    end_job_because(ranks_[rank].is_replaced ? describe_replaced(death, others)
                                             : describe_under(ranks_[rank].pid, death, others),
                    exit_failure);
  }
  programs_.forget(rank);
}

// A program that ends is told elsewhere. One that never called shmem_init may start by exec the
// program that is the rank, and a rank that has finalized may run what it likes.
void Guardian::on_image_end(const ProgramWatch::Ended& program) {
  const RankState state = wire_.state(program.rank);
  const bool takes_part = state == RankState::joined || state == RankState::running;
  if (takes_part && has_replaced_its_program(program.pid, wire_.page(program.rank)))
    ranks_[program.rank].is_replaced = true;
}

void Guardian::on_image_lost(const ProgramWatch::Ended& program) {
  const auto& [rank, pid, at_ns] = program;
  on_image_end(program);  // it may have closed its descriptors before
  if (ranks_[rank].is_replaced && ending_.state() == Ending::State::idle) {
    const Death death{.rank = global(rank),
                      .pid = pid,
                      .ended_ns = at_ns,
                      .joined = true,
                      .page = wire_.page(rank)};
    end_job_because(describe_replaced(death, all_alive() - 1), exit_failure);
  }
  images_.forget(rank);
}

void Guardian::on_absent(std::uint32_t rank) {
  absentees_.add(global(rank));
  if (uplink_) uplink_->tell(Left{global(rank)});
}

void Guardian::look_for_absentees() {
  if (!absentees_.is_due() || ending_.state() != Ending::State::idle) return;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].alive || wire_.state(rank) == RankState::absent) continue;
    return fail({Errc::peer_lost,
                 fmt::format("rank {} ended before it joined the job, which rank {} has joined; "
                             "all ranks are ended",
                             absentees_.first(), global(rank))});
  }
}

void Guardian::on_leaving() {
  deadlock_.suspect();
}

void Guardian::look_for_deadlock() {
  if (!deadlock_.is_due() || ending_.state() != Ending::State::idle) return;
  if (job_.share.nodes > 1) return hear_of_deadlock();
  std::vector<Sleeper> sleepers;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].alive && wire_.state(rank) != RankState::finalized)
      sleepers.push_back({rank, ranks_[rank].program, wire_.page(rank)});
  if (!deadlock_.holds(sleepers)) return;
  std::vector<std::uint32_t> ended;
  std::vector<std::uint32_t> in_exit;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].alive)
      ended.push_back(global(rank));
    else if (is_in_exit(*wire_.page(rank)))
      in_exit.push_back(global(rank));
  }
  if (ended.empty() && in_exit.empty()) return;  // another fault: --timeout and SIGUSR1 show it
  // All ranks end on purpose, and one answers a message of another one that is gone.
  if (wire_.header().leaving.load(std::memory_order_relaxed) == ranks_.size())
    return end_ranks_on_purpose(0);
  end_job_because(describe_deadlock(ended, in_exit, wire_.environment()), exit_failure);
}

// Of a job on several nodes no guardian sees all ranks: the node agents look.
void Guardian::hear_of_deadlock() {
  deadlock_.look_later();
  const NodeHeader& header = wire_.header();
  if (header.is_over.load(std::memory_order_acquire) == 1)  // pairs with the release by the agent
    end_job(exit_failure, text_in(header.why));
}

bool Guardian::all_have_finalized() const {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].alive && wire_.state(rank) != RankState::finalized) return false;
  return true;
}

std::vector<Survivor> Guardian::survivors() const {
  std::vector<Survivor> result;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank].alive && !programs_.has_ended(rank) && !images_.has_ended(rank))
      result.push_back({global(rank), wire_.page(rank)});
  return result;
}

void Guardian::on_socket(std::uint32_t rank) {
  while (ranks_[rank].socket && is_readable(ranks_[rank].socket.get())) {
    // No tag is asked for: the socket pair is known to one rank only, and a Join comes before it.
    Result<std::optional<protocol::Received>> received =
        protocol::receive(ranks_[rank].socket.get(), 0, 0);
    if (!received) {
      close_socket(rank);
      return fail(
          {received.error().code, fmt::format("rank {}: {}", global(rank), received.error().text)});
    }
    if (!*received) return close_socket(rank);
    const protocol::Message& message = (*received)->message;
    if (const auto* join = std::get_if<protocol::Join>(&message))
      on_join(rank, *join, std::move((*received)->attachment));
    if (const auto* image = std::get_if<protocol::Image>(&message))
      images_.watch(rank, static_cast<pid_t>(image->pid), std::move((*received)->attachment));
    if (const auto* exit = std::get_if<protocol::GlobalExit>(&message)) {
      // The first word counts, even where another rank has just ended with a status of its own.
      const int status = exit->status & 0xff;
      if (ending_.state() == Ending::State::idle) status_ = status;
      exit->is_on_purpose == 1 ? end_on_purpose(status) : end_job(status);
    }
  }
  if (ranks_[rank].socket) send_job(rank);
}

void Guardian::on_join(std::uint32_t rank, const protocol::Join& join, UniqueFd end) {
  if (const Result<void> joined = wire_.join(rank); !joined) return fail(joined.error());
  need_agent();
  const auto pid = static_cast<pid_t>(join.pid);
  if (pid == ranks_[rank].pid) end.reset();  // our child: SIGCHLD will tell
  programs_.watch(rank, pid, std::move(end));
  ranks_[rank].program = pid;
  ranks_[rank].is_replaced = false;
  absentees_.remove(global(rank));
}

void Guardian::send_job(std::uint32_t rank) {
  const RankRecord& record = ranks_[rank];
  if (!record.socket) return;
  const WireUp::Progress progress = wire_.advance(rank, record.socket.get());
  if (progress == WireUp::Progress::try_later) send_later_.push_back(rank);
  const bool full = progress == WireUp::Progress::wait_for_room;
  const std::uint32_t events = full ? EPOLLIN | EPOLLOUT : EPOLLIN;
  if (const Result<void> watched =
          poller_.watch(record.socket.get(), events, [this, rank] { on_socket(rank); });
      !watched)
    fail(watched.error());
}

void Guardian::close_socket(std::uint32_t rank) {
  UniqueFd& socket = ranks_[rank].socket;
  if (!socket) return;
  poller_.forget(socket.get());
  socket.reset();
}

}  // namespace gondwana::launch
