#include "run/node/node_end.hpp"

#include <fmt/format.h>

#include <csignal>
#include <utility>

#include "base/exit_status.hpp"
#include "core/machine.hpp"
#include "memory/job_end.hpp"
#include "run/io/next_time.hpp"
#include "run/node/diagnosis.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t grace_ns = 2 * second_ns;       // between our SIGTERM and SIGKILL
constexpr std::uint64_t user_grace_ns = 5 * second_ns;  // after a forwarded INT or TERM

bool ends(int signal) {
  return signal == SIGINT || signal == SIGTERM;
}

}  // namespace

NodeEnd::NodeEnd(const Job& job, std::string host, const Admission& ranks, NodeActions& actions,
                 std::uint64_t now)
    : job_(job),
      host_(std::move(host)),
      ranks_(ranks),
      actions_(actions),
      time_up_ns_(end_of_time(job, now)) {}

// If there is a conductor, it prints the message.
void NodeEnd::announce(int status, const std::string& sentence) {
  settle(status);
  if (job_.share.has_conductor())
    actions_.emplace_back(Stopping{static_cast<std::uint32_t>(status), sentence});
  else if (!sentence.empty())
    actions_.emplace_back(Said{sentence});
}

void NodeEnd::end_job(int status, const std::string& sentence, std::uint64_t now) {
  announce(status, sentence);
  ending_.ask(grace_ns, now);
}

void NodeEnd::end_because(const std::string& sentence, int status, std::uint64_t now) {
  announce(status, sentence);
  actions_.emplace_back(Report::waiting);
  ending_.ask(grace_ns, now);
}

void NodeEnd::end_on_purpose(int status, std::uint64_t now) {
  actions_.emplace_back(EndOnPurpose{status});
  ending_.ask_later(std::uint64_t{time_to_end.count()} * second_ns, grace_ns, now);
}

// The first call decides, even if another rank has just ended with its own status.
void NodeEnd::on(const protocol::GlobalExit& exit, std::uint64_t now) {
  const int status = exit.status & 0xff;
  if (is_idle()) outcome_.status = status;
  if (exit.is_on_purpose != 1) return end_job(status, "", now);
  if (job_.share.has_conductor())
    actions_.emplace_back(Stopping{static_cast<std::uint32_t>(status), "", true});
  end_on_purpose(status, now);
}

void NodeEnd::on(const SignalCame& signal, std::uint64_t now) {
  const auto& [number, passed_on] = signal;
  // SIGUSR1 shows where the ranks are. It is sent only to ranks that handle it, because it would
  // kill others.
  if (number == SIGUSR1)
    return void(actions_.insert(actions_.end(), {NodeAction(Report::places), AskRanks{}}));
  const bool has_conductor = job_.share.has_conductor();
  // A batch system or an administrator ends the processes on this host. The other hosts would wait
  // for them.
  if (ends(number) && has_conductor && !passed_on && is_idle()) {
    announce(exit_signal_base + number,
             fmt::format("the launcher on host {} has received {}; the job is ended", host_,
                         name_of_signal(number)));
    if (number == SIGINT && ranks_.any_joined()) actions_.emplace_back(Report::places);
  }
  report_at(number);
  if (ends(number) && ending_.is_over()) outcome_.abandons_output = true;
  if (ends(number) && !is_idle()) return ending_.kill(now);
  actions_.emplace_back(SignalRanks{number});
  if (!ends(number)) return;
  actions_.emplace_back(SignalRanks{SIGCONT});  // a stopped process cannot handle the signal
  ending_.wait_at_most(user_grace_ns, now);
}

// If there is a conductor, it reports the reason.
void NodeEnd::report_at(int signal) {
  if (!is_idle() || !ranks_.any_joined()) return;
  if (signal == SIGTERM) actions_.emplace_back(Report::places);
  if (job_.share.has_conductor()) return;
  if (signal == SIGINT) actions_.emplace_back(Report::why_at_once);
  if (signal == SIGQUIT) actions_.emplace_back(Report::why);
}

// The ranks end silently: the host on which the end began has reported why.
void NodeEnd::on(const EndElsewhere& elsewhere, std::uint64_t now) {
  const End& end = elsewhere.end;
  const auto status = static_cast<int>(end.status);
  failed_elsewhere_ = !end.is_on_purpose || status != 0;
  if (end.is_on_purpose) return end_on_purpose(status, now);
  // After a timeout the conductor has reported why.
  if (is_idle() && status != exit_timeout) actions_.emplace_back(Report::waiting);
  // If a batch system signals all processes, the ranks here may have received the signal already.
  if (elsewhere.is_heard) return;
  ending_.ask(ends(status - exit_signal_base) ? user_grace_ns : grace_ns, now);
}

void NodeEnd::on(const AllEnded& /*ended*/, std::uint64_t /*now*/) {
  have_all_ended_ = true;
}

// A process that was started again ends without the others, so ranks of other hosts may still need
// the agent of this one.
bool NodeEnd::must_serve_others() const {
  return job_.restart.times > 0 && job_.share.has_conductor() && !have_all_ended_ && is_idle();
}

// The ranks of a host that is added start once it knows the earlier deaths.
bool NodeEnd::will_start_ranks() const {
  return !ranks_.any_started() && is_idle();
}

void NodeEnd::on(const LauncherLost& lost, std::uint64_t now) {
  outcome_.has_lost_launcher = true;
  end_job(exit_signal_base + SIGKILL, lost.sentence, now);
}

// No other process can take the sweeper's place above the guardian.
void NodeEnd::on(const SweeperLost& lost, std::uint64_t /*now*/) {
  actions_.emplace_back(
      Said{fmt::format("the sweeper of the job (pid {}){} was killed; the job continues, but if "
                       "launcher and guardian "
                       "are killed at once, processes that the ranks have started may be left",
                       lost.pid, job_.share.has_conductor() ? " on host " + host_ : "")});
}

void NodeEnd::on(const OutputFailed& failed, std::uint64_t now) {
  const std::optional<std::string> sentence = outcome_.lose_output(failed.reason);
  if (!sentence) return;
  if (sentence->empty()) return end_job(exit_signal_base + SIGPIPE, "", now);
  actions_.emplace_back(Said{*sentence});
}

void NodeEnd::on(const Failed& failed, std::uint64_t now) {
  const std::string where = job_.share.has_conductor() ? fmt::format("host {}: ", host_) : "";
  end_job(failed.status, is_idle() ? where + failed.error.text : "", now);
}

void NodeEnd::on(const TraceFailed& /*failed*/, std::uint64_t /*now*/) {
  settle(exit_failure);
}

void NodeEnd::on(const DescendantsSeen& seen, std::uint64_t now) {
  for (const int signal : ending_.step(seen, now)) actions_.emplace_back(SignalAll{signal});
}

void NodeEnd::on_tick(std::uint64_t now) {
  if (time_up_ns_ && now >= *time_up_ns_) {
    time_up_ns_.reset();
    if (is_idle()) {
      outcome_.status = exit_timeout;
      announce(exit_timeout, describe_timeout(job_, ranks_.alive()));
      if (ranks_.any_joined()) actions_.emplace_back(Report::why);
      ending_.ask(grace_ns, now);
    }
  }
  if (ranks_.alive() != 0 || will_start_ranks()) return;
  if (must_serve_others()) {
    if (!std::exchange(has_told_end_, true)) actions_.emplace_back(RanksEnded{});
    return;
  }
  actions_.emplace_back(ReleaseAgent{});
  ending_.ask(grace_ns, now);
}

std::optional<std::uint64_t> NodeEnd::next_ns() const {
  const bool waits = will_start_ranks() || (has_told_end_ && must_serve_others());
  if (ranks_.alive() == 0 && !ending_.has_asked() && !waits) return 0;
  NextTime next;
  next.consider(ending_.next_ns());
  next.consider(time_up_ns_);
  return next.ns();
}

}  // namespace gondwana::launch
