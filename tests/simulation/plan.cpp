#include "simulation/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "base/exit_status.hpp"
#include "simulation/random.hpp"

namespace gondwana::simulation {
namespace {

constexpr std::array<std::string_view, kinds> names{
    "kills rank",
    "stops rank",
    "signals the job",
    "signals the remote launcher of host",
    "signals all processes on all hosts, as a batch system does,",
    "kills the launcher",
    "kills ssh to host",
    "kills the guardian of host",
    "kills the sweeper of host",
    "kills the agent of host",
    "resets the connection to host",
    "silences the connection to host",
    "silences what comes from host",
    "silences what goes to host",
    "slows the connection to host",
    "garbles what comes from host",
    "powers off host",
    "stops the guardian of host",
    "stops the conductor",
    "closes the reader of the output",
    "fills the disk of the output",
    "lets a descriptor fail on host",
    "freezes host"};
constexpr std::array<std::string_view, rank_courses> courses{"finalizes",
                                                             "exits without finalizing",
                                                             "dies",
                                                             "waits for ever",
                                                             "computes for ever",
                                                             "calls exit",
                                                             "calls shmem_global_exit",
                                                             "aborts the job",
                                                             "runs another program (exec)"};
constexpr std::array<std::string_view, 5> starts{"runs", "cannot be connected to",
                                                 "does not have the command", "never answers",
                                                 "does not have the program"};

double seconds(Time time) {
  return static_cast<double>(time) / static_cast<double>(second);
}

// How wild a seed is: kinds of faults are switched on and off as a whole, so that each meets others
// alone and in crowds.
class Drawing {
 public:
  explicit Drawing(std::uint64_t seed)
      : shape_(seed, 2), ranks_(seed, 3), faults_(seed, 4), storms_(seed, 5), vanishing_(seed, 6) {
    plan_.seed = seed;
  }

  Plan draw() {
    plan_.has_conductor = !shape_.one_in(4);
    plan_.peer_timeout_s = shape_.one_in(12) ? 0 : shape_.one_in(2) ? 4 : 20;
    plan_.latency = shape_.one_in(3) ? 50 * ms : 2 * ms;
    if (shape_.one_in(6)) plan_.timeout = shape_.between(500, 8000) * ms;
    wild_ranks_ = shape_.one_in(2);
    bad_starts_ = shape_.one_in(6);
    all_vanish_ = vanishing_.one_in(40);
    const std::uint64_t hosts = plan_.has_conductor ? shape_.between(1, 4) : 1;
    const std::uint64_t most_ranks = shape_.between(1, 4);
    for (std::uint64_t host = 0; host < hosts; ++host) add_host(most_ranks);
    if (!shape_.one_in(4)) add_faults();
    return std::move(plan_);
  }

 private:
  void add_host(std::uint64_t most_ranks) {
    HostPlan& host = plan_.hosts.emplace_back();
    if (plan_.has_conductor) {
      host.delay = shape_.one_in(8) ? shape_.between(1, 30'000) * ms : shape_.between(1, 800) * ms;
      if (bad_starts_ && shape_.one_in(2)) host.start = Start(shape_.between(1, 4));
      if (host.start == Start::never && plan_.peer_timeout_s == 0) host.start = Start::runs;
    }
    const std::uint64_t ranks = ranks_.between(1, most_ranks);
    if (shape_.one_in(30)) host.no_fork = static_cast<std::uint32_t>(shape_.below(ranks));
    host.has_network = !shape_.one_in(30);
    if (shape_.one_in(10)) host.stop_at_kill = shape_.between(1, 6000) * ms;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) add_rank(host);
  }

  void add_rank(HostPlan& host) {
    RankPlan& rank = host.ranks.emplace_back();
    rank.start = ranks_.skewed(300) * ms;
    rank.run = ranks_.skewed(3000) * ms;
    rank.runs = ranks_.one_in(2);
    rank.linger = ranks_.skewed(20) * ms;
    if (!wild_ranks_) return;
    rank.joins = !ranks_.one_in(20);
    rank.image = ranks_.one_in(4) ? 60 * second : ranks_.skewed(4000) * ms;
    rank.has_shell = ranks_.one_in(6);
    // Other hosts would keep what they are told about the first program.
    rank.tries = rank.has_shell && rank.joins && !plan_.has_conductor && ranks_.one_in(2);
    rank.vanishes = rank.tries && vanishing_.one_in(3);
    rank.gap = ranks_.one_in(2) ? ranks_.skewed(400) * ms : ranks_.skewed(4000) * ms;
    rank.shell = ranks_.one_in(8)   ? 20 * second
                 : ranks_.one_in(3) ? ranks_.skewed(4000) * ms
                                    : ranks_.skewed(5) * ms;
    if (ranks_.one_in(4)) rank.course = Course(ranks_.below(rank_courses));
    if (!rank.joins && rank.course != Course::hangs) rank.course = Course::exits;
    static const std::vector<int> statuses{0, 0, 0, 1, 3, 77, 143};
    if (all_vanish_ && rank.joins) rank.tries = rank.vanishes = true;
    static const std::vector<int> signals{SIGSEGV, SIGABRT, SIGKILL, SIGTERM};
    rank.status = ranks_.pick(statuses);
    if (all_vanish_) rank.status = 0;
    rank.signal = ranks_.pick(signals);
    if (ranks_.one_in(4)) rank.at_term = AtTerm(ranks_.below(3));
    rank.term = ranks_.skewed(4000) * ms;
    if (ranks_.one_in(10)) rank.unkillable = ranks_.skewed(8000) * ms;
    if (ranks_.one_in(6)) rank.orphan = ranks_.skewed(10'000) * ms;
    rank.orphan_ignores_term = ranks_.one_in(3);
  }

  void add_faults() {
    std::vector<Kind> allowed;
    while (allowed.empty())
      for (std::uint32_t kind = 0; kind < kinds; ++kind)
        if (faults_.one_in(6)) allowed.push_back(Kind(kind));
    const std::uint64_t storms = storms_.between(1, 3);
    for (std::uint64_t storm = 0; storm < storms; ++storm) {
      const Time begin = storms_.skewed(6000) * ms;
      const Time length = 1 + storms_.skewed(3000) * ms;
      const std::uint64_t count = storms_.between(1, 4);
      for (std::uint64_t i = 0; i < count; ++i)
        add_fault(faults_.pick(allowed), begin + storms_.below(length));
    }
    std::ranges::sort(plan_.faults, {}, &Fault::at);
  }

  void add_fault(Kind kind, Time at) {
    static const std::vector<int> to_all{SIGINT, SIGTERM, SIGTERM, SIGINT,
                                         SIGHUP, SIGQUIT, SIGUSR1};
    static const std::vector<int> ends{SIGINT, SIGTERM};
    static const std::vector<int> deaths{SIGKILL, SIGSEGV, SIGTERM};
    Fault fault{.kind = kind, .at = at};
    fault.host = static_cast<std::uint32_t>(faults_.below(plan_.hosts.size()));
    fault.rank = static_cast<std::uint32_t>(faults_.below(plan_.hosts[fault.host].ranks.size()));
    fault.time = faults_.between(1, 1 + faults_.skewed(20'000)) * ms;
    const bool is_silence = kind == Kind::silence || kind == Kind::silence_up ||
                            kind == Kind::silence_down || kind == Kind::power_off;
    if (kind == Kind::slow) fault.time = faults_.skewed(1500) * ms;
    if (kind == Kind::stop_guardian || kind == Kind::stop_conductor || kind == Kind::freeze)
      fault.time = ms + faults_.skewed(6000) * ms;
    if (is_silence && faults_.one_in(2)) fault.time = 0;
    fault.signal = faults_.pick(kind == Kind::kill_rank    ? deaths
                                : kind == Kind::signal_job ? to_all
                                                           : ends);
    if (is_silence && plan_.peer_timeout_s == 0)
      return;  // then nothing tells of a host that is gone
    if (kind == Kind::kill_guardian && !plan_.has_conductor) return;  // tells the launcher, not us
    plan_.faults.push_back(fault);
  }

  Plan plan_;
  Random shape_;
  Random ranks_;
  Random faults_;
  Random storms_;
  Random vanishing_;
  bool wild_ranks_ = false;
  bool bad_starts_ = false;
  bool all_vanish_ = false;
};

std::string describe(const RankPlan& rank) {
  std::string text = fmt::format("starts for {:.3f} s", seconds(rank.start));
  if (rank.has_shell)
    text += fmt::format(" under a shell that lives {:.3f} s longer", seconds(rank.shell));
  if (rank.tries) text += ", asks to join and ends";
  if (rank.tries && !rank.vanishes)
    text += fmt::format(", is started again {:.3f} s later", seconds(rank.gap));
  if (rank.joins)
    text += fmt::format(", joins, {} for {:.3f} s", rank.runs ? "computes" : "waits",
                        seconds(rank.run));
  text += fmt::format(", {}", courses.at(static_cast<std::size_t>(rank.course)));
  if (rank.course == Course::dies)
    text += fmt::format(" of {}", name_of_signal(rank.signal));
  else
    text += fmt::format(" (status {}, {:.3f} s later)", rank.status, seconds(rank.linger));
  if (rank.at_term == AtTerm::ignores) text += "; ignores TERM";
  if (rank.at_term == AtTerm::ends_later)
    text += fmt::format("; at a TERM computes for {:.3f} s", seconds(rank.term));
  if (rank.unkillable != 0)
    text += fmt::format("; cannot be killed for {:.3f} s", seconds(rank.unkillable));
  if (rank.orphan != 0)
    text += fmt::format("; leaves a process that lives {:.3f} s{}", seconds(rank.orphan),
                        rank.orphan_ignores_term ? " and ignores TERM" : "");
  return text;
}

bool names_host(Kind kind) {
  return kind != Kind::signal_job && kind != Kind::signal_all && kind != Kind::kill_launcher &&
         kind != Kind::stop_conductor && kind != Kind::lose_reader && kind != Kind::fill_disk;
}

}  // namespace

std::uint32_t Plan::ranks() const {
  std::size_t sum = 0;
  for (const HostPlan& host : hosts) sum += host.ranks.size();
  return static_cast<std::uint32_t>(sum);
}

bool Plan::ends_alone() const {
  if (timeout) return true;
  for (const HostPlan& host : hosts)
    for (const RankPlan& rank : host.ranks)
      if (rank.course == Course::hangs || rank.course == Course::computes) return false;
  return true;
}

Time Plan::last() const {
  Time last = timeout.value_or(0);
  for (const Fault& fault : faults) last = std::max(last, fault.at + fault.time);
  for (const HostPlan& host : hosts) last = std::max(last, host.stop_at_kill);
  for (const HostPlan& host : hosts)
    for (const RankPlan& rank : host.ranks)
      last =
          std::max(last, host.delay + 2 * rank.start + rank.gap + rank.shell + rank.run +
                             rank.linger + rank.image + rank.term + rank.unkillable + rank.orphan);
  return last;
}

Plan draw_plan(std::uint64_t seed) {
  return Drawing(seed).draw();
}

Plan large_plan(std::uint32_t hosts, bool dies) {
  Plan plan;
  plan.latency = 2 * ms;
  plan.hosts.resize(hosts);
  Random random(hosts, 1);
  for (HostPlan& host : plan.hosts) {
    host.delay = random.between(1, 800) * ms;
    host.ranks.resize(1);
    host.ranks[0].run = 10 * second;
  }
  if (dies)
    plan.faults.push_back(
        {.kind = Kind::kill_rank, .at = 5 * second, .host = hosts / 2, .signal = SIGKILL});
  return plan;
}

std::string name_of_host(std::uint32_t host) {
  return host < 26 ? std::string(1, static_cast<char>('a' + host)) : std::to_string(host);
}

std::string describe(const Fault& fault) {
  std::string text = fmt::format("{}", names.at(static_cast<std::size_t>(fault.kind)));
  if (fault.kind == Kind::kill_rank || fault.kind == Kind::stop_rank)
    text += fmt::format(" {} of host", fault.rank);
  if (names_host(fault.kind)) text += fmt::format(" {}", name_of_host(fault.host));
  const bool has_signal = fault.kind == Kind::kill_rank || fault.kind == Kind::signal_job ||
                          fault.kind == Kind::signal_host || fault.kind == Kind::signal_all;
  if (has_signal) text += fmt::format(" by {}", name_of_signal(fault.signal));
  return fmt::format("{} ({:.3f} s)", text, seconds(fault.time));
}

std::string describe(const Plan& plan) {
  std::string text = fmt::format(
      "{} rank{} on {} host{}{}; peer timeout {} s; a message takes up to {} ms{}\n", plan.ranks(),
      plan.ranks() == 1 ? "" : "s", plan.hosts.size(), plan.hosts.size() == 1 ? "" : "s",
      plan.has_conductor ? ", with a conductor" : ", without a conductor", plan.peer_timeout_s,
      plan.latency / ms,
      plan.timeout ? fmt::format("; --timeout {} s", seconds(*plan.timeout)) : "");
  std::uint32_t number = 0;
  for (std::uint32_t host = 0; host < plan.hosts.size(); ++host) {
    const HostPlan& one = plan.hosts[host];
    text += fmt::format("  host {} {}, after {:.3f} s\n", name_of_host(host),
                        starts.at(static_cast<std::size_t>(one.start)), seconds(one.delay));
    if (!one.has_network) text += "    its agent cannot serve\n";
    if (one.stop_at_kill != 0)
      text += fmt::format("    its guardian is stopped for {:.3f} s when it kills\n",
                          seconds(one.stop_at_kill));
    if (one.no_fork)
      text +=
          fmt::format("    its rank {} of {} cannot be started\n", *one.no_fork, one.ranks.size());
    for (const RankPlan& rank : one.ranks)
      text += fmt::format("    rank {} {}\n", number++, describe(rank));
  }
  for (const Fault& fault : plan.faults)
    text += fmt::format("  {:8.3f} s: a fault {}\n", seconds(fault.at), describe(fault));
  return text;
}

}  // namespace gondwana::simulation
