#include "run/remote/job_on_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>

#include "base/exit_status.hpp"
#include "core/machine.hpp"
#include "run/command_line/sharing.hpp"
#include "run/io/next_time.hpp"
#include "run/node/diagnosis.hpp"
#include "run/overloaded.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t hosts_grace_ns =
    10 * second_ns;  // grace period after the first INT or TERM

}  // namespace

void HostTimes::set(std::uint32_t node, std::optional<std::uint64_t> ns) {
  if (node >= times_.size()) times_.resize(node + 1);
  if (times_[node] == ns) return;
  if (times_[node]) order_.erase({*times_[node], node});
  if (ns) order_.emplace(*ns, node);
  times_[node] = ns;
}

std::optional<std::uint64_t> HostTimes::first() const {
  return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
}

std::vector<std::uint32_t> HostTimes::due(std::uint64_t now) const {
  std::vector<std::uint32_t> nodes;
  for (const auto& [ns, node] : order_) {
    if (ns > now) break;
    nodes.push_back(node);
  }
  return nodes;
}

JobOnHosts::JobOnHosts(const Job& job, const std::vector<Job>& parts, std::uint64_t now)
    : job_(job),
      parts_(parts),
      hosts_of_nodes_(hosts_in_use(job)),
      ranks_(job.ranks()),
      nodes_(static_cast<std::uint32_t>(parts.size())),
      time_up_ns_(end_of_time(job, now)),
      world_(job.ranks()),
      roster_(job.ranks(), job.restart.times) {}

HostsActions JobOnHosts::handle(const HostsEvent& event, std::uint64_t now) {
  std::visit(
      Overloaded{[&](const HostStarted& started) { start(started, now); },
                 [&](const HostSaid& said) { on(said); },
                 [&](const HostPipeEnded& pipe) {
                   hosts_[pipe.node].life.on_pipe_ended(pipe.why, pipe.time_ns, now);
                   reschedule(pipe.node);
                 },
                 [&](const HostProcessEnded& process) {
                   hosts_[process.node].life.on_process_ended(process.wait_status, process.time_ns,
                                                              now);
                   reschedule(process.node);
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
                 [&](const GrowthFailed& failed) { fail_growth(failed.reason, Failure::refusal); },
                 [&](const Tick&) { on_tick(now); }},
      event);
  return std::exchange(actions_, {});
}

// A launcher that is started again knows nothing, and its node gets another address.
void JobOnHosts::start(const HostStarted& started, std::uint64_t now) {
  const bool is_new = started.node == hosts_.size();
  if (is_new) hosts_.push_back({HostLife(started.facts, now)});
  if (is_new || hosts_[started.node].life.is_over()) ++living_;
  hosts_[started.node] = {HostLife(started.facts, now)};
  nodes_.forget(started.node);
  reschedule(started.node);
}

void JobOnHosts::on(const HostSaid& said) {
  const auto& [node, frame] = said;
  Host& host = hosts_[node];
  // What its ranks did before they were dead for the others comes too late.
  if (host.is_lost && !std::holds_alternative<Ended>(frame)) return;
  if (fails_growth(node, frame) || on_news(node, frame)) return;
  if (std::holds_alternative<Hello>(frame)) {
    host.life.say_hello();
    reschedule(node);
    tell_past(node);
    if (part_of(node).streams.reader) actions_.emplace_back(StartInput{node});
  } else if (const auto* own = std::get_if<ThisNode>(&frame)) {
    nodes_.set(node, own->info);
    send_rows();
    if (growing_ && nodes_.is_complete()) finish_growth();
  } else if (const auto* left = std::get_if<Left>(&frame)) {
    tell_absence(node, *left);
  } else if (std::holds_alternative<RanksEnded>(frame)) {
    host.has_no_rank = true;
    release_hosts();
  } else if (const auto* stopping = std::get_if<Stopping>(&frame)) {
    on(*stopping);
  } else if (const auto* entry = std::get_if<ShrinkEntry>(&frame);
             entry != nullptr && part_of(node).node_ranks().holds(Rank(entry->rank))) {
    if (!roster_.is_gone(entry->rank)) on(*entry);
  } else if (const auto* ended = std::get_if<Ended>(&frame)) {
    end_host(node, {static_cast<int>(ended->status)}, false);
  } else if (!on_change(node, frame)) {
    end_host(node,
             {exit_failure, fmt::format("host {} sent an unexpected message", host.life.name())},
             true);
  }
}

void JobOnHosts::on(const ShrinkEntry& entry) {
  std::optional<Shrunk> shrunk = agreements_.enter(entry);
  if (!shrunk) return;
  std::vector<std::uint32_t> hosts = living();
  std::erase_if(hosts, [&](std::uint32_t node) {
    return std::ranges::none_of(shrunk->ranks, [&](std::uint32_t rank) {
      return part_of(node).node_ranks().holds(Rank(rank));
    });
  });
  if (!hosts.empty()) actions_.emplace_back(Send{std::move(hosts), *std::move(shrunk)});
}

// A host needs to know one rank that takes no part: its ranks cannot join then. So a job of
// programs that never join, such as hostname, sends a frame to each host, not one for each pair of
// hosts.
void JobOnHosts::tell_absence(std::uint32_t node, const Left& left) {
  std::vector<std::uint32_t> others = living();
  std::erase_if(others, [&](std::uint32_t other) {
    return other == node || std::exchange(hosts_[other].knows_absence, true);
  });
  if (!others.empty()) actions_.emplace_back(Send{std::move(others), left});
}

// Sends no partial table, because a rank waits until it knows all nodes. Hosts that lack the same
// rows get the same frame.
void JobOnHosts::send_rows() {
  if (!nodes_.is_complete()) return;
  std::map<std::uint64_t, std::vector<std::uint32_t>> hosts;  // by the epoch of what they have
  for (const std::uint32_t node : living())
    hosts[std::exchange(hosts_[node].sent_epoch, nodes_.epoch())].push_back(node);
  for (auto& [epoch, to] : hosts)
    actions_.emplace_back(Send{std::move(to), NodeRows{nodes_.newer_than(epoch)}});
}

void JobOnHosts::on(const Stopping& stopping) {
  if (!stopping.is_on_purpose) return end_job(static_cast<int>(stopping.status), stopping.sentence);
  if (std::exchange(ending_, true)) return;
  if (!outcome_.status) outcome_.status = static_cast<int>(stopping.status);
  end_hosts({.is_on_purpose = true, .status = stopping.status});
}

void JobOnHosts::close_host(std::uint32_t node, bool is_killed) {
  if (!hosts_[node].life.is_over()) --living_;
  hosts_[node].life.end();
  reschedule(node);
  actions_.emplace_back(CloseHost{node, is_killed});
  if (part_of(node).streams.reader) actions_.emplace_back(StopInput{});
}

// The single rule for the end of a host, regular or not. If other hosts wait for it, its end ends
// the job.
void JobOnHosts::end_host(std::uint32_t node, const HostEnd& end, bool is_killed) {
  close_host(node, is_killed);
  if (!end.sentence.empty()) return end_job(end.status, end.sentence);
  outcome_.settle(end.status);
  release_hosts();
}

void JobOnHosts::on_seen(const HostSeen& seen, std::uint64_t now) {
  Host& host = hosts_[seen.node];
  const bool is_suspect = std::exchange(host.is_suspect, false);
  if (host.life.is_over()) return;
  const std::optional<HostEnd> end = host.life.look(seen, now);
  if (end && is_added(seen.node) && !ending_)
    return fail_growth(end->sentence,
                       host.life.has_said_hello() ? Failure::death : Failure::refusal);
  const bool may_continue = job_.continues_after_death() && !ending_;
  if (end && may_continue && !end->consequence.empty() && living_ > 1)
    return lose_host(seen.node, *end);
  if (end) return end_host(seen.node, {end->status, end->sentence + end->consequence}, true);
  reschedule(seen.node);
  // A host that answers is not lost, even if its end takes long.
  if (is_suspect && now >= seen.heard_ns + hosts_grace_ns / 2)
    end_host(seen.node, {exit_signal_base + end_signal_.value_or(SIGTERM)}, true);
}

// The remote launchers handle the first and the second signal themselves. After that the conductor
// must not wait for an unreachable host.
void JobOnHosts::on(const SignalCame& signal) {
  const bool to_end = signal.number == SIGINT || signal.number == SIGTERM;
  if (to_end && is_over()) outcome_.abandons_output = true;
  if (signal.number == SIGINT && !end_signal_ && !ending_) actions_.emplace_back(Explain::shortly);
  if (to_end) end_signal_ = signal.number;
  if (to_end) fail_growth("the job ends");
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
  if (end_signal_ && !abandon_at_ns_) abandon_at_ns_ = now + hosts_grace_ns;
  const bool abandons = abandon_at_ns_ && now >= *abandon_at_ns_;
  if (abandons) abandon_at_ns_ = now + second_ns;
  for (const std::uint32_t node : abandons ? living() : times_.due(now)) {
    hosts_[node].is_suspect = abandons;
    actions_.emplace_back(LookAtHost{node});
  }
}

void JobOnHosts::on_time_up() {
  time_up_ns_.reset();
  if (ending_) return;
  outcome_.status = exit_timeout;
  actions_.emplace_back(Said{describe_timeout(job_, ranks_)});
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
  std::vector<std::uint32_t> to;
  for (const std::uint32_t node : living())
    if (hosts_[node].life.has_said_hello())
      to.push_back(node);
    else
      end_host(node, {}, true);
  if (!to.empty()) actions_.emplace_back(Send{std::move(to), end});
}

void JobOnHosts::send_to_all(const Frame& frame) {
  if (!is_over()) actions_.emplace_back(Send{living(), frame});
}

std::vector<std::uint32_t> JobOnHosts::living() const {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t node = 0; node < hosts_.size(); ++node)
    if (!hosts_[node].life.is_over()) nodes.push_back(node);
  return nodes;
}

std::optional<std::uint64_t> JobOnHosts::next_ns() const {
  if (end_signal_ && !abandon_at_ns_) return 0;
  NextTime next;
  next.consider(time_up_ns_);
  next.consider(abandon_at_ns_);
  next.consider(times_.first());
  return next.ns();
}

}  // namespace gondwana::launch
