#include "observe/trace/job_trace.hpp"

#include <algorithm>
#include <map>
#include <thread>

#include "core/host_name.hpp"
#include "core/machine.hpp"
#include "memory/live.hpp"

namespace gondwana::trace {
namespace {

using Clock = std::chrono::steady_clock;

// Samples the waits of a node's ranks as they begin and end.
class WaitSampler {
 public:
  explicit WaitSampler(const jobs::FoundNode& node) : node_(node) {
    trace_.job = jobs::FoundJob::id_of(node.facts().job);
    trace_.host = host_name().data();
    trace_.node = node.facts().node;
    trace_.is_sampled = true;
    for (std::uint32_t local = 0; local < node.facts().ranks.size(); ++local) {
      RankTrace& rank = trace_.ranks.emplace_back();
      rank.rank = index(node.facts().ranks[local]);
      rank.process = static_cast<std::uint32_t>(node.process(local));
      rank.heap = node.page(local).heap.begin.load(std::memory_order_relaxed);
      rank.heap_size = node.page(local).heap.size.load(std::memory_order_relaxed);
      rank.buffers = seen_buffers(shown_memory(node.page(local)), Gone::included);
      rank.names.emplace_back();
    }
  }

  void sample() {
    const auto now = static_cast<std::int64_t>(monotonic_ns());
    for (std::uint32_t local = 0; local < node_.facts().ranks.size(); ++local) {
      std::size_t number = 0;
      for (const ThreadSlot& slot : node_.threads(local).in_use())
        sample_wait(slot.waiting, local, number++, now);
    }
  }

  NodeTrace finish() {
    for (const auto& [where, index] : open_) event_of(where, index).is_open = true;
    for (RankTrace& rank : trace_.ranks)
      for (ThreadTrace& thread : rank.threads) put_in_order(thread.events);
    std::erase_if(trace_.ranks, [](const RankTrace& rank) { return rank.process == 0; });
    return std::move(trace_);
  }

 private:
  using Where = std::pair<std::uint32_t, std::size_t>;  // number on the node, and slot

  Event& event_of(const Where& where, std::size_t index) {
    return trace_.ranks[where.first].threads[where.second].events[index];
  }

  void sample_wait(const Waiting& waiting, std::uint32_t local, std::size_t slot,
                   std::int64_t now) {
    const Where where{local, slot};
    auto since = static_cast<std::int64_t>(waiting.since_ns.load(std::memory_order_acquire));
    if (since < 0 || since > now) since = 0;  // no wait can have begun at this time
    const auto open = open_.find(where);
    if (open != open_.end()) {
      Event& event = event_of(where, open->second);
      event.duration_ns = std::max<std::int64_t>(now - event.begin_ns, 0);
      if (since == event.begin_ns) return;
      open_.erase(open);
    }
    if (since != 0) open_[where] = add(waiting, where, since, now);
  }

  std::size_t add(const Waiting& waiting, const Where& where, std::int64_t since,
                  std::int64_t now) {
    RankTrace& rank = trace_.ranks[where.first];
    for (std::size_t slot = rank.threads.size(); slot <= where.second; ++slot)
      rank.threads.push_back({.thread = rank.process + static_cast<std::uint32_t>(slot)});
    const std::uint32_t peer = waiting.peer.load(std::memory_order_relaxed);
    std::vector<Event>& events = rank.threads[where.second].events;
    events.push_back({.kind = EventKind::wait,
                      .name = number_of(rank, call_in(waiting)),
                      .peer = peer != Waiting::any_rank ? peer : TraceEvent::nobody,
                      .begin_ns = since,
                      .duration_ns = std::max<std::int64_t>(now - since, 0),
                      .place = waiting.place.load(std::memory_order_relaxed),
                      .bytes = waiting.team.load(std::memory_order_relaxed)});
    return events.size() - 1;
  }

  static std::uint16_t number_of(RankTrace& rank, const std::string& name) {
    const auto known = std::ranges::find(rank.names, name);
    if (known == rank.names.end() && rank.names.size() == TracePlace::max_names) return 0;
    const auto number = static_cast<std::uint16_t>(known - rank.names.begin());
    if (known == rank.names.end()) rank.names.push_back(name);
    return number;
  }

  const jobs::FoundNode& node_;
  NodeTrace trace_;
  std::map<Where, std::size_t> open_;  // waits seen in the last sample
};

std::vector<NodeTrace> sample(const jobs::FoundJob& job, std::chrono::milliseconds time,
                              FunctionRef<bool()> continues) {
  constexpr std::chrono::microseconds check_interval{500};
  std::vector<WaitSampler> samplers(job.nodes.begin(), job.nodes.end());
  const Clock::time_point end = Clock::now() + time;
  do {
    for (WaitSampler& sampler : samplers) sampler.sample();
    std::this_thread::sleep_for(check_interval);
  } while (Clock::now() < end && continues());
  std::vector<NodeTrace> nodes;
  for (WaitSampler& sampler : samplers) nodes.push_back(sampler.finish());
  return nodes;
}

}  // namespace

std::vector<NodeTrace> trace_job(const jobs::FoundJob& job, std::chrono::milliseconds time,
                                 FunctionRef<bool()> continues) {
  if (job.facts().ring_size == 0) return sample(job, time, continues);
  std::vector<NodeTrace> nodes;
  for (const jobs::FoundNode& node : job.nodes)
    nodes.push_back(read_node(node.control(), node.facts()));
  return nodes;
}

}  // namespace gondwana::trace
