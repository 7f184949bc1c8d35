#include "observe/trace/node_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "core/host_name.hpp"
#include "core/machine.hpp"
#include "core/printable.hpp"
#include "core/process_stat.hpp"
#include "core/ticks.hpp"
#include "memory/live.hpp"
#include "observe/jobs/found_jobs.hpp"

namespace gondwana::trace {
namespace {

// Returns 0 if the two times are inconsistent.
double ns_per_tick(const ClockPair& begin, const ClockPair& end) {
  if (end.ticks <= begin.ticks || end.ns <= begin.ns) return 0;
  return static_cast<double>(end.ns - begin.ns) / static_cast<double>(end.ticks - begin.ticks);
}

double measured_ns_per_tick(std::chrono::nanoseconds time) {
  const ClockPair begin = read_clocks();
  std::this_thread::sleep_for(time);
  return ns_per_tick(begin, read_clocks());
}

// Of the earlier readings of both clocks by ranks, the oldest gives the best rate. A program may
// have damaged it, so it must agree with a rate measured here.
double best_rate(std::vector<ClockPair> earlier, const ClockPair& now) {
  constexpr std::chrono::nanoseconds longer{20'000'000};  // one part per million is 20 ns
  constexpr std::chrono::nanoseconds shorter = longer / 10;
  constexpr double tolerance = 0.01;
  static const double rough = measured_ns_per_tick(shorter);  // the rate never changes
  std::ranges::sort(earlier, {}, &ClockPair::ns);
  for (const ClockPair& pair : earlier) {
    const double rate = ns_per_tick(pair, now);
    if (rate == 0 || now.ns - pair.ns < static_cast<std::uint64_t>(longer.count())) continue;
    if (std::abs(rate - rough) <= tolerance * rough) return rate;
  }
  static const double fine = measured_ns_per_tick(longer);
  return fine;
}

// Converts processor ticks to CLOCK_MONOTONIC. All ranks of the node share one clock, because the
// counters of its processors agree better than two readings of both clocks.
class TickClock {
 public:
  explicit TickClock(std::vector<ClockPair> earlier)
      : now_(read_clocks()), ns_per_tick_(best_rate(std::move(earlier), now_)) {}

  // Both results are valid times, whatever a program has written.
  std::int64_t ns_at(std::uint64_t time) const {
    return now_ns() + length(static_cast<std::int64_t>(time - now_.ticks));
  }
  std::int64_t length(std::int64_t passed) const {
    constexpr double longest = 1e18;  // more than 30 years
    return static_cast<std::int64_t>(
        std::clamp(static_cast<double>(passed) * ns_per_tick_, -longest, longest));
  }
  std::int64_t now_ns() const { return static_cast<std::int64_t>(now_.ns); }
  // Covers events until they have been read.
  std::int64_t latest_ns() const { return now_ns() + 1'000'000'000; }

 private:
  ClockPair now_;
  double ns_per_tick_;
};

Event converted(const TraceEvent& event, const TickClock& clock) {
  const bool is_open = event.duration == TraceEvent::open;
  const std::int64_t begin_ns = clock.ns_at(event.begin);
  return {.kind = event.kind,
          .is_open = is_open,
          .name = event.name,
          .peer = event.peer,
          .begin_ns = begin_ns,
          .duration_ns = is_open ? std::max<std::int64_t>(clock.now_ns() - begin_ns, 0)
                                 : clock.length(static_cast<std::int64_t>(event.duration)),
          .place = event.place,
          .bytes = event.bytes,
          .site = event.site};
}

// Filters out damaged events with times that no clock has shown.
bool is_possible(const TraceEvent& event, const Event& converted, const TickClock& clock) {
  return event.kind <= last_event_kind && converted.begin_ns >= 0 && converted.duration_ns >= 0 &&
         converted.end_ns() <= clock.latest_ns();
}

// The thread may still be writing: events that it may have overwritten meanwhile are left out.
ThreadTrace read_thread(const TraceRing& ring, std::size_t ring_size, const TickClock& clock) {
  ThreadTrace thread;
  thread.thread = ring.thread.load(std::memory_order_relaxed);
  const std::uint64_t room = ring_size / sizeof(StoredEvent);  // the ring's own size may be damaged
  const std::uint64_t end = ring.written.load(std::memory_order_acquire);
  const std::uint64_t begin = end > room ? end - room : 0;
  std::vector<TraceEvent> events;
  events.reserve(end - begin);
  for (std::uint64_t number = begin; number < end; ++number)
    events.push_back(ring.events()[number & (room - 1)].load());
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t now = ring.written.load(std::memory_order_relaxed);
  const std::uint64_t first = now >= room ? std::min(now - room + 1, end) : 0;
  thread.replaced = std::max(begin, first);
  for (std::uint64_t number = thread.replaced; number < end; ++number) {
    const TraceEvent& event = events[number - begin];
    const Event in_ns = converted(event, clock);
    if (is_possible(event, in_ns, clock)) thread.events.push_back(in_ns);
  }
  put_in_order(thread.events);
  return thread;
}

std::vector<std::string> names_of(const TracePlace& place) {
  const std::uint32_t known = std::min<std::uint32_t>(
      place.names_known.load(std::memory_order_acquire), TracePlace::max_names);
  std::vector<std::string> names;
  for (std::uint32_t number = 0; number < known; ++number)
    names.push_back(text_in(place.names.at(number)));
  return names;
}

std::vector<Module> modules_of(const TracePlace& place) {
  const std::uint32_t known = std::min<std::uint32_t>(
      place.modules_known.load(std::memory_order_acquire), TracePlace::max_modules);
  std::vector<Module> modules;
  for (std::uint32_t number = 0; number < known; ++number) {
    const TraceModule& module = place.modules.at(number);
    modules.push_back(
        {std::string(text_in(module.file)), module.base.load(std::memory_order_relaxed)});
  }
  return modules;
}

std::vector<Site> sites_of(TraceSites& sites, std::size_t modules) {
  std::vector<Site> found;
  for (std::size_t position = 0; position < TraceSites::most; ++position) {
    const std::uint64_t where = sites.at(position).where.load(std::memory_order_relaxed);
    const std::uint64_t module = where & ((1U << TraceSites::module_bits) - 1);
    if (module == 0 || module > modules) continue;
    found.push_back({static_cast<std::uint16_t>(position + 1),
                     static_cast<std::uint16_t>(module - 1), where >> TraceSites::module_bits});
  }
  return found;
}

std::vector<ClockPair> clocks_of(std::byte* control, const ControlLayout& layout,
                                 std::uint32_t places) {
  std::vector<ClockPair> clocks;
  for (std::uint32_t number = 0; number < places; ++number) {
    const auto& place = shared_at<TracePlace>(control, layout.trace(number));
    const std::uint64_t ns = place.first_ns.load(std::memory_order_acquire);
    if (ns != 0) clocks.push_back({place.first_ticks.load(std::memory_order_relaxed), ns});
  }
  return clocks;
}

bool has_joined(const TracePlace& place) {
  return place.first_ns.load(std::memory_order_acquire) != 0;
}

void read_rank(TracePlace& place, std::size_t ring_size, const TickClock& clock, RankTrace& rank) {
  rank.untraced = place.untraced.load(std::memory_order_relaxed);
  rank.globals = place.globals.load(std::memory_order_relaxed);
  rank.globals_size = place.globals_size.load(std::memory_order_relaxed);
  for (std::size_t number = 0; number < TracePlace::rings; ++number) {
    const TraceRing& ring = place.ring(number, ring_size);
    if (ring.thread.load(std::memory_order_relaxed) == 0) continue;
    ThreadTrace& thread = rank.threads.emplace_back(read_thread(ring, ring_size, clock));
    thread.name =
        printable(thread_name(static_cast<pid_t>(rank.process), static_cast<pid_t>(thread.thread)));
  }
  rank.names = names_of(place);  // after the events that refer to them
  rank.modules = modules_of(place);
  rank.sites = sites_of(place.sites, rank.modules.size());
}

}  // namespace

NodeTrace read_node(std::byte* control, const NodeFacts& facts) {
  return read_node(control, facts, [](NodeTrace& /*node*/) {});
}

NodeTrace read_node(std::byte* control, const NodeFacts& facts,
                    FunctionRef<void(NodeTrace& node)> meanwhile) {
  const ControlLayout layout(facts.slots, facts.node_slots, facts.ring_size);
  NodeTrace node{.job = jobs::FoundJob::id_of(facts.job),
                 .host = host_name().data(),
                 .node = facts.node,
                 .job_ranks = facts.job_ranks};
  if (facts.ring_size == 0) return node;
  std::vector<ClockPair> clocks = clocks_of(control, layout, facts.slots + 1);
  if (clocks.empty()) return node;
  const TickClock clock(std::move(clocks));
  const auto read = [&](std::uint32_t local, RankTrace rank) {
    auto& place = shared_at<TracePlace>(control, layout.trace(local));
    if (!has_joined(place)) return;
    read_rank(place, facts.ring_size, clock, rank);
    node.ranks.push_back(std::move(rank));
    meanwhile(node);
  };
  for (std::uint32_t local = 0; local < facts.ranks.size(); ++local) {
    const auto& page = shared_at<ControlPage>(control, layout.page(local));
    read(local, {.rank = index(facts.ranks[local]),
                 .process = static_cast<std::uint32_t>(process_in(page.presence.process)),
                 .heap = page.heap.begin.load(std::memory_order_relaxed),
                 .heap_size = page.heap.size.load(std::memory_order_relaxed),
                 .buffers = seen_buffers(shown_memory(page), Gone::included)});
  }
  const auto& header = shared_at<NodeHeader>(control, 0);
  read(facts.slots, {.rank = RankTrace::agent,
                     .process = static_cast<std::uint32_t>(process_in(header.agent_load.process))});
  return node;
}

void put_in_order(std::vector<Event>& events) {
  std::ranges::stable_sort(events, [](const Event& one, const Event& other) {
    return one.begin_ns != other.begin_ns ? one.begin_ns < other.begin_ns
                                          : one.duration_ns > other.duration_ns;
  });
  std::vector<std::int64_t> ends;  // ends of the events that enclose this one
  for (Event& event : events) {
    while (!ends.empty() && ends.back() <= event.begin_ns) ends.pop_back();
    if (!ends.empty())
      event.duration_ns = std::min(event.duration_ns, ends.back() - event.begin_ns);
    ends.push_back(event.end_ns());
  }
}

void add_node(std::vector<NodeTrace>& nodes, NodeTrace node, const link::ClockDifference& clock) {
  const auto place = std::ranges::lower_bound(nodes, node.node, {}, &NodeTrace::node);
  if (place != nodes.end() && place->node == node.node) return;
  node.ahead_ns = clock.ahead_ns();
  node.error_ns = clock.error_ns();
  nodes.insert(place, std::move(node));
}

void keep_last(std::vector<NodeTrace>& nodes, std::int64_t last_ns) {
  if (last_ns == 0) return;
  std::int64_t end = 0;
  const auto for_threads = [&nodes](const auto& take) {
    for (NodeTrace& node : nodes)
      for (RankTrace& rank : node.ranks)
        for (ThreadTrace& thread : rank.threads) take(node, thread);
  };
  for_threads([&](const NodeTrace& node, const ThreadTrace& thread) {
    for (const Event& event : thread.events)
      end = std::max(end, node.here(event.is_open ? event.begin_ns : event.end_ns()));
  });
  for_threads([&](const NodeTrace& node, ThreadTrace& thread) {
    std::erase_if(thread.events, [&](const Event& event) {
      return !event.is_open && node.here(event.end_ns()) < end - last_ns;
    });
  });
}

}  // namespace gondwana::trace
