#include "run/remote/job_on_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/exit_status.hpp"
#include "core/machine.hpp"
#include "run/io/next_time.hpp"
#include "run/overloaded.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t hosts_grace_ns =
    10 * second_ns;  // grace period after the first INT or TERM

}  // namespace

JobOnHosts::JobOnHosts(const Job& job, const std::vector<Job>& parts, std::uint64_t now)

    : job_(job),
      parts_(parts),
      nodes_(static_cast<std::uint32_t>(parts.size())),
      time_up_ns_(end_of_time(job, now)) {}

HostsActions JobOnHosts::handle(const HostsEvent& event, std::uint64_t now) {
  std::visit(Overloaded{[&](const HostStarted& started) { start(started, now); },
                        [&](const HostSaid& said) { on(said); },
                        [&](const HostPipeEnded& pipe) {
                          hosts_[pipe.node].life.on_pipe_ended(pipe.why, pipe.time_ns, now);
                        },
                        [&](const HostProcessEnded& process) {
                          hosts_[process.node].life.on_process_ended(process.wait_status,
                                                                     process.time_ns, now);
                        },
                        [&](const HostSeen& seen) { on_seen(seen, now); },
                        [&](const SignalCame& signal) { on(signal); },
                        [&](const LauncherLost& lost) {
                          outcome_.has_lost_launcher = true;
                          end_job(exit_signal_base + SIGKILL, lost.sentence);
                        },
                        [&](const OutputFailed& failed) { on(failed); },
                        [&](const Failed& failed) { end_job(failed.status, failed.error.text); },
                        [&](const TraceFailed&) { outcome_.settle(exit_failure); },
                        [&](const Tick&) { on_tick(now); }},
             event);
  return std::exchange(actions_, {});
}

// A launcher that is started again knows nothing, and its node gets another address.
void JobOnHosts::start(const HostStarted& started, std::uint64_t now) {
  if (started.node == hosts_.size()) hosts_.push_back({HostLife(started.facts, now)});
  hosts_[started.node] = {HostLife(started.facts, now)};
  nodes_.forget(started.node);
}

void JobOnHosts::on(const HostSaid& said) {
  const auto& [node, frame] = said;
  Host& host = hosts_[node];
  if (std::holds_alternative<Hello>(frame)) {
    host.life.say_hello();
    if (parts_[node].streams.reader) actions_.emplace_back(StartInput{node});
  } else if (const auto* own = std::get_if<ThisNode>(&frame)) {
    nodes_.set(node, own->info);
    send_rows();
  } else if (const auto* left = std::get_if<Left>(&frame)) {
    for (std::uint32_t other = 0; other < hosts_.size(); ++other)
      if (other != node && !hosts_[other].life.is_over()) actions_.emplace_back(Send{other, *left});
  } else if (const auto* stopping = std::get_if<Stopping>(&frame)) {
    on(*stopping);
  } else if (const auto* ended = std::get_if<Ended>(&frame)) {
    end_host(node, {static_cast<int>(ended->status)}, false);
  } else {
    end_host(node,
             {exit_failure, fmt::format("host {} sent an unexpected message", host.life.name())},
             true);
  }
}

// Sends no partial table, because a rank waits until it knows all nodes.
void JobOnHosts::send_rows() {
  if (!nodes_.is_complete()) return;
  for (std::uint32_t node = 0; node < hosts_.size(); ++node)
    if (!hosts_[node].life.is_over())
      actions_.emplace_back(Send{node, NodeRows{nodes_.newer_than(std::exchange(
                                           hosts_[node].sent_epoch, nodes_.epoch()))}});
}

void JobOnHosts::on(const Stopping& stopping) {
  if (!stopping.is_on_purpose) return end_job(static_cast<int>(stopping.status), stopping.sentence);
  if (std::exchange(ending_, true)) return;
  if (!outcome_.status) outcome_.status = static_cast<int>(stopping.status);
  end_hosts({.is_on_purpose = true, .status = stopping.status});
}

// The single rule for the end of a host, regular or not. If other hosts wait for it, its end ends
// the job.
void JobOnHosts::end_host(std::uint32_t node, const HostEnd& end, bool is_killed) {
  hosts_[node].life.end();
  actions_.emplace_back(CloseHost{node, is_killed});
  if (parts_[node].streams.reader) actions_.emplace_back(StopInput{});
  if (!end.sentence.empty()) return end_job(end.status, end.sentence);
  outcome_.settle(end.status);
}

void JobOnHosts::on_seen(const HostSeen& seen, std::uint64_t now) {
  Host& host = hosts_[seen.node];
  const bool is_suspect = std::exchange(host.is_suspect, false);
  if (host.life.is_over()) return;
  if (const std::optional<HostEnd> end = host.life.look(seen, now))
    return end_host(seen.node, *end, true);
  // A host that answers is not lost, even if its end takes long.
  if (is_suspect && now >= seen.heard_ns + hosts_grace_ns / 2) end_host(seen.node, {}, true);
}

// The remote launchers handle the first and the second signal themselves. After that the conductor
// must not wait for an unreachable host.
void JobOnHosts::on(const SignalCame& signal) {
  const bool to_end = signal.number == SIGINT || signal.number == SIGTERM;
  if (to_end && is_over()) outcome_.abandons_output = true;
  if (signal.number == SIGINT && !is_asked_to_end_ && !ending_)
    actions_.emplace_back(Explain::shortly);
  is_asked_to_end_ = is_asked_to_end_ || to_end;
  if (signal.number == SIGQUIT && !ending_) actions_.emplace_back(Explain::at_length);
  send_to_all(Signal{static_cast<std::uint32_t>(signal.number)});
}

void JobOnHosts::on(const OutputFailed& failed) {
  const std::optional<std::string> sentence = outcome_.lose_output(failed.reason);
  if (!sentence) return;
  if (sentence->empty()) return end_job(exit_signal_base + SIGPIPE, "");
  actions_.emplace_back(Said{*sentence});
}

void JobOnHosts::on_tick(std::uint64_t now) {
  if (time_up_ns_ && now >= *time_up_ns_) on_time_up();
  // A preceding explanation does not shorten the hosts' time, because they get the signal only now.
  if (is_asked_to_end_ && !abandon_at_ns_) abandon_at_ns_ = now + hosts_grace_ns;
  const bool abandons = abandon_at_ns_ && now >= *abandon_at_ns_;
  if (abandons) abandon_at_ns_ = now + second_ns;
  for (std::uint32_t node = 0; node < hosts_.size(); ++node) {
    Host& host = hosts_[node];
    if (host.life.is_over()) continue;
    host.is_suspect = abandons;
    if (abandons || now >= host.life.next_ns().value_or(now + 1))
      actions_.emplace_back(LookAtHost{node});
  }
}

void JobOnHosts::on_time_up() {
  time_up_ns_.reset();
  if (ending_) return;
  outcome_.status = exit_timeout;
  actions_.emplace_back(Said{describe_timeout(job_, job_.ranks())});
  actions_.emplace_back(Explain::at_length);  // while the ranks are alive
  end_job(exit_timeout, "");
}

// The first status counts, because the hosts' later ends are consequences.
void JobOnHosts::end_job(int status, const std::string& sentence) {
  if (std::exchange(ending_, true)) return;
  if (!outcome_.status) outcome_.status = status;
  if (!sentence.empty()) actions_.emplace_back(Said{sentence});
  end_hosts({.is_on_purpose = false, .status = static_cast<std::uint32_t>(status)});
}

void JobOnHosts::end_hosts(const End& end) {
  for (std::uint32_t node = 0; node < hosts_.size(); ++node) {
    const HostLife& life = hosts_[node].life;
    if (life.is_over()) continue;
    if (life.has_said_hello())
      actions_.emplace_back(Send{node, end});
    else
      end_host(node, {}, true);
  }
}

void JobOnHosts::send_to_all(const Frame& frame) {
  for (std::uint32_t node = 0; node < hosts_.size(); ++node)
    if (!hosts_[node].life.is_over()) actions_.emplace_back(Send{node, frame});
}

bool JobOnHosts::is_over() const {
  return std::ranges::all_of(hosts_, [](const Host& host) { return host.life.is_over(); });
}

std::optional<std::uint64_t> JobOnHosts::next_ns() const {
  if (is_asked_to_end_ && !abandon_at_ns_) return 0;
  NextTime next;
  next.consider(time_up_ns_);
  next.consider(abandon_at_ns_);
  for (const Host& host : hosts_) next.consider(host.life.next_ns());
  return next.ns();
}

}  // namespace gondwana::launch
