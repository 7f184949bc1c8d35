#include "observe/jobs/watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/counters.hpp"
#include "core/host_name.hpp"
#include "core/machine.hpp"
#include "core/process_stat.hpp"
#include "memory/live.hpp"
#include "memory/shown_memory.hpp"
#include "memory/stillness.hpp"
#include "observe/jobs/system_call.hpp"

namespace gondwana::jobs {
namespace {

constexpr std::chrono::milliseconds check_interval{20};

// The values that are compared between the first and the last sample.
struct Sample {
  ProcessStat process;
  std::uint64_t delay_ns = 0;
  std::array<std::uint64_t, count_names.size()> counts{};
  std::uint64_t messages = 0;
};

// Sums the counts that only a call of the program increases.
std::uint64_t calls_among(const std::array<std::uint64_t, count_names.size()>& counts) {
  std::uint64_t calls = 0;
  for (const Count what : {Count::puts, Count::gets, Count::atomics, Count::syncs, Count::waits})
    calls += counts.at(static_cast<std::size_t>(what));
  return calls;
}

Members members_of(const ShownTeam* team) {
  if (team == nullptr) return {};
  const std::uint32_t size = team->size.load(std::memory_order_acquire);
  const std::int32_t stride = team->stride.load(std::memory_order_relaxed);
  if (stride == 0 && size > 1) return {};  // the members are a list
  return {team->first.load(std::memory_order_relaxed), stride, size};
}

// The counters of an ended process read as 0.
double share(std::uint64_t before, std::uint64_t after, std::uint64_t of) {
  return after > before ? static_cast<double>(after - before) / static_cast<double>(of) : 0;
}

// A rank of the node, over all samples.
class Watched {
 public:
  Watched(const FoundNode& node, std::uint32_t local)
      : node_(&node),
        local_(local),
        page_(&node.page(local)),
        threads_(&node.threads(local)),
        first_(sample()) {
    since_ns_ = wait_since_ns();
  }

  void poll_again() {
    const std::uint64_t since_ns = wait_since_ns();
    ++samples_;
    waits_ += since_ns != 0 ? 1 : 0;
    if (since_ns != since_ns_) lasts_throughout_ = false;
  }

  RankSeen seen(std::uint64_t watched_ns) const {
    const Sample last = sample();
    RankSeen rank{.rank = index(node_->facts().ranks[local_]),
                  .node = node_->facts().node,
                  .pid = node_->process(local_),
                  .state = state_in(*page_),
                  .wait = wait(),
                  .waited = samples_ > 0 ? static_cast<double>(waits_) / samples_ : 0,
                  .computed = share(first_.process.used_ns, last.process.used_ns, watched_ns),
                  .delayed = share(first_.delay_ns, last.delay_ns, watched_ns),
                  .messages = last.messages - first_.messages,
                  .pending = page_->traffic.pending.load(std::memory_order_relaxed),
                  .device_copies = shown_memory(*page_).devices.pending.load(),
                  .served_copies = shown_memory(*page_).devices.served.load(),
                  .is_in_exit = is_in_exit(*threads_),
                  .is_dead = node_->is_dead(local_),
                  .has_left = node_->has_left(local_),
                  .refused = shown_memory(*page_).refused.load(std::memory_order_relaxed),
                  .restarts = node_->restarts(local_)};
    for (std::size_t i = 0; i < rank.counts.size(); ++i)
      rank.counts.at(i) = last.counts.at(i) - first_.counts.at(i);
    rank.totals = last.counts;
    rank.messages_total = last.messages;
    rank.used_s = static_cast<double>(last.process.used_ns) * 1e-9;
    rank.calls = calls_among(rank.counts);
    if (rank.wait && waits_again(rank)) {
      rank.wait->lasts_throughout = true;
      rank.wait->seconds = std::max(rank.wait->seconds, static_cast<double>(watched_ns) * 1e-9);
    }
    add_process(last, rank);
    if (rank.is_dead || rank.has_left) forget_process(rank);
    return rank;
  }

 private:
  // Another process may have its number.
  static void forget_process(RankSeen& rank) {
    rank.process = RankSeen::Process::gone;
    rank.wait.reset();
    rank.tracer = 0;
    rank.system_call.clear();
  }

  static void add_process(const Sample& last, RankSeen& rank) {
    if (rank.pid == 0) return;
    rank.process = last.process.is_gone()      ? RankSeen::Process::gone
                   : last.process.is_stopped() ? RankSeen::Process::stopped
                                               : RankSeen::Process::alive;
    if (rank.process == RankSeen::Process::stopped) rank.tracer = tracer_of(rank.pid);
    if (rank.process == RankSeen::Process::alive && !rank.wait && last.process.state == 'S')
      rank.system_call = system_call_of(rank.pid);
  }

  // Each sleep in GASNET_BLOCKUNTIL is shown as a separate wait. Without a call or a message in
  // between they are one wait.
  bool waits_again(const RankSeen& rank) const {
    constexpr double max_samples = 0.8;
    constexpr std::uint32_t min_samples = 4;
    return samples_ >= min_samples && since_ns_ != 0 && rank.waited > max_samples &&
           rank.calls == 0 && rank.messages == 0;
  }

  Sample sample() const {
    const pid_t pid = node_->process(local_);
    Sample now;
    if (pid != 0) {
      now.process = stat_of(pid);
      now.delay_ns = scheduled(pid).delay_ns;
    }
    for (std::size_t i = 0; i < now.counts.size(); ++i)
      now.counts.at(i) = threads_->count(static_cast<Count>(i));
    const Traffic& traffic = page_->traffic;
    now.messages = traffic.sent.load(std::memory_order_relaxed) +
                   traffic.received.load(std::memory_order_relaxed);
    return now;
  }

  std::uint64_t wait_since_ns() const {
    const Waiting* wait = threads_->longest_wait();
    return wait != nullptr ? wait->since_ns.load(std::memory_order_acquire) : 0;
  }

  // Returns "heap+0x40", "registered buffer+0x40", or nothing.
  std::string name_of(std::uint64_t place) const {
    const std::uint64_t begin = page_->heap.begin.load(std::memory_order_relaxed);
    const std::uint64_t size = page_->heap.size.load(std::memory_order_relaxed);
    if (place >= begin && place - begin < size) return fmt::format("heap+{:#x}", place - begin);
    const std::vector<SeenBuffer> buffers = seen_buffers(shown_memory(*page_), Gone::left_out);
    const SeenBuffer* buffer = find_buffer(buffers, place);
    return buffer != nullptr ? name_in_buffer(*buffer, place) : "";
  }

  std::optional<WaitSeen> wait() const {
    const Waiting* wait = threads_->longest_wait();
    if (wait == nullptr) return std::nullopt;
    const std::uint64_t since_ns = wait->since_ns.load(std::memory_order_acquire);
    if (since_ns == 0) return std::nullopt;
    const std::uint64_t now_ns = std::max(monotonic_ns(), since_ns);
    const std::uint32_t team = wait->team.load(std::memory_order_relaxed);
    const std::uint64_t place = wait->place.load(std::memory_order_relaxed);
    return WaitSeen{.call = call_in(*wait),
                    .peer = wait->peer.load(std::memory_order_relaxed),
                    .team = team,
                    .place = place,
                    .word = name_of(place),
                    .awaited = wait->awaited(),
                    .members = members_of(node_->shown_team(local_, team)),
                    .seconds = static_cast<double>(now_ns - since_ns) * 1e-9,
                    .lasts_throughout = lasts_throughout_ && since_ns == since_ns_};
  }

  const FoundNode* node_;
  std::uint32_t local_;
  const ControlPage* page_;
  const ThreadSlots* threads_;
  Sample first_;
  std::uint64_t since_ns_ = 0;  // start of the wait at the first sample
  bool lasts_throughout_ = true;
  std::uint32_t samples_ = 0;
  std::uint32_t waits_ = 0;  // samples that found it waiting
};

// Samples the agent of the node at the start and the end of the watch.
class WatchedAgent {
 public:
  explicit WatchedAgent(const FoundNode& node) : node_(&node), first_(sample()) {}

  std::optional<AgentSeen> seen(std::uint64_t watched_ns) const {
    AgentSeen now = sample();
    if (now.pid == 0) return std::nullopt;
    now.computed =
        std::max(0.0, now.used_s - first_.used_s) / (static_cast<double>(watched_ns) * 1e-9);
    now.batches = now.batches_total - first_.batches_total;
    return now;
  }

 private:
  AgentSeen sample() const {
    const AgentLoad& load = node_->agent_load();
    AgentSeen agent;
    agent.pid = process_in(load.process);
    if (agent.pid != 0 && node_->has_our_numbers()) {
      // `scheduled` is exact but covers one thread, and libraries of the agent may start more.
      const ProcessStat process = stat_of(agent.pid);
      const std::uint64_t used_ns = std::max(process.used_ns, scheduled(agent.pid).run_ns);
      agent.used_s = static_cast<double>(used_ns) * 1e-9;
      agent.is_stopped = process.is_stopped();
      if (agent.is_stopped) agent.tracer = tracer_of(agent.pid);
    }
    agent.batches_total = load.batches.load(std::memory_order_relaxed);
    agent.waiting = load.waiting.load(std::memory_order_relaxed);
    agent.leaving = load.leaving.load(std::memory_order_relaxed);
    return agent;
  }

  const FoundNode* node_;
  AgentSeen first_;
};

using Processors = std::array<std::uint64_t, 16>;  // one bit for each processor

// The processors of this machine on which any rank of the job may run.
Processors processors_of(const FoundJob& job) {
  Processors all{};
  for (const FoundNode& node : job.nodes)
    for (std::uint32_t local = 0; local < node.facts().ranks.size(); ++local)
      for (std::size_t i = 0; i < all.size(); ++i)
        all.at(i) |= node.page(local).processors.at(i).load(std::memory_order_relaxed);
  return all;
}

std::uint32_t count(const Processors& processors) {
  std::uint32_t sum = 0;
  for (const std::uint64_t word : processors)
    sum += static_cast<std::uint32_t>(std::popcount(word));
  return sum;
}

// The idle time of each processor, by processor number.
std::vector<std::uint64_t> idle_times_ns() {
  std::ifstream file("/proc/stat");
  const auto tick_ns = 1'000'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  std::vector<std::uint64_t> times;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream words(line.substr(3));
    std::size_t number = 0;
    std::array<std::uint64_t, 5> spent{};  // user, nice, system, idle, iowait
    if (line.starts_with("cpu ") || !(words >> number) || number >= 64 * Processors{}.size())
      continue;
    for (std::uint64_t& each : spent) words >> each;
    times.resize(std::max(times.size(), number + 1));
    times[number] = (spent[3] + spent[4]) * tick_ns;
  }
  return times;
}

// The idle share of the time; 1 if unknown.
double idle_share(const Processors& processors, const std::vector<std::uint64_t>& before,
                  std::uint64_t watched_ns) {
  const std::vector<std::uint64_t> now = idle_times_ns();
  double sum = 0;
  std::uint32_t known = 0;
  for (std::size_t number = 0; number < std::min(before.size(), now.size()); ++number) {
    if ((processors.at(number / 64) >> number % 64 & 1) == 0) continue;
    sum += share(before[number], now[number], watched_ns);
    ++known;
  }
  return known == 0 ? 1 : sum / known;
}

// Returns the time it has taken.
std::uint64_t sample(std::vector<Watched>& ranks, std::chrono::milliseconds time,
                     FunctionRef<bool()> continues) {
  const std::uint64_t begin_ns = monotonic_ns();
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end && continues()) {
    std::this_thread::sleep_for(check_interval);
    for (Watched& rank : ranks) rank.poll_again();
  }
  return std::max<std::uint64_t>(monotonic_ns() - begin_ns, 1);
}

}  // namespace

JobSeen watch(const FoundJob& job, std::chrono::milliseconds time) {
  return watch(job, time, [] { return true; });
}

JobSeen watch(const FoundJob& job, std::chrono::milliseconds time, FunctionRef<bool()> continues) {
  std::vector<Watched> ranks;
  for (const FoundNode& node : job.nodes)
    for (std::uint32_t local = 0; local < node.facts().ranks.size(); ++local)
      ranks.emplace_back(node, local);
  const std::vector<WatchedAgent> agents(job.nodes.begin(), job.nodes.end());
  const std::string program = job.program();  // read now because the job may end meanwhile
  const std::vector<std::uint64_t> idle_before = idle_times_ns();
  const std::uint64_t watched_ns = sample(ranks, time, continues);
  JobSeen seen{.id = job.id(),
               .program = program,
               .ranks = job.facts().job_ranks,
               .nodes = job.facts().nodes,
               .watched_s = static_cast<double>(watched_ns) * 1e-9,
               .is_traced = job.facts().ring_size != 0,
               .found = {},
               .seen = {},
               .complaints = {}};
  const Processors processors = processors_of(job);
  const double idle = idle_share(processors, idle_before, watched_ns);
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const NodeFacts& facts = job.nodes[i].facts();
    seen.found.push_back({facts.node, index(facts.ranks.front()), facts.ranks.size(),
                          host_name().data(), count(processors), idle, agents[i].seen(watched_ns)});
  }
  for (const Watched& rank : ranks) seen.seen.push_back(rank.seen(watched_ns));
  return seen;
}

}  // namespace gondwana::jobs
