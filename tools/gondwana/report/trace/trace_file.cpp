#include "report/trace/trace_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "base/modules.hpp"
#include "base/sentence.hpp"
#include "core/new_file.hpp"
#include "core/printable.hpp"
#include "memory/control_page.hpp"
#include "modules/perfetto/perfetto.hpp"
#include "observe/trace/flows.hpp"
#include "observe/trace/places.hpp"
#include "observe/trace/symbols.hpp"
#include "report/trace/event_text.hpp"
#include "report/trace/removed_by_signals.hpp"

namespace gondwana::trace {
namespace {

// The numbers of the flows that begin or end at an event.
using FlowNumbers = std::map<EventId, std::vector<std::uint64_t>>;

struct OpenSlice {
  std::int64_t end_ns;
  EventId event;
};

class JobWriter {
 public:
  JobWriter(const std::vector<NodeTrace>& nodes, perfetto::TraceWriter& writer)
      : nodes_(nodes), writer_(writer), barriers_(find_barriers(nodes)) {
    add_flows(find_flows(nodes));
    add_flows(find_lock_flows(nodes));
    add_flows(outgoing_flows(barriers_));
  }

  void write() {
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      for (std::size_t rank = 0; rank < nodes_[node].ranks.size(); ++rank)
        if (!is_agent(node, rank)) write_rank(node, rank);
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      for (std::size_t rank = 0; rank < nodes_[node].ranks.size(); ++rank)
        if (is_agent(node, rank)) write_rank(node, rank);
  }

 private:
  void add_flows(const std::vector<Flow>& flows) {
    for (const Flow& flow : flows) {
      begins_[flow.from].push_back(++flow_numbers_);
      ends_[flow.to].push_back(flow_numbers_);
    }
  }

  bool is_agent(std::size_t node, std::size_t rank) const {
    return nodes_[node].ranks[rank].rank == RankTrace::agent;
  }

  std::string process_name(const NodeTrace& node, const RankTrace& rank) const {
    if (rank.rank == RankTrace::agent)
      return fmt::format("agent of node {} ({})", node.node, node.host);
    return nodes_.size() > 1 ? fmt::format("rank {} ({})", rank.rank, node.host)
                             : fmt::format("rank {}", rank.rank);
  }

  // If processes on two hosts have the same number, the second gets a number that Linux never uses.
  std::uint32_t process_number(std::uint32_t process) {
    constexpr std::uint32_t first_free = 1U << 22;
    if (process != 0 && processes_.insert(process).second) return process;
    const auto number = static_cast<std::uint32_t>(first_free + processes_.size());
    processes_.insert(number);
    return number;
  }

  void write_rank(std::size_t node_number, std::size_t rank_number) {
    const NodeTrace& node = nodes_[node_number];
    const RankTrace& rank = node.ranks[rank_number];
    const std::uint32_t process = process_number(rank.process);
    writer_.add_process(++tracks_, {process, process_name(node, rank),
                                    rank.modules.empty() ? "" : rank.modules.front().file});
    PlaceNames places(rank, symbols_);
    for (std::size_t number = 0; number < rank.threads.size(); ++number) {
      const ThreadTrace& thread = rank.threads[number];
      const bool is_first = thread.thread == rank.process;
      writer_.add_thread(++tracks_, {process, is_first ? process : thread.thread,
                                     is_first && thread.name.empty() ? "main" : thread.name});
      write_thread(tracks_, {node_number, rank_number, number, 0}, places);
    }
  }

  void write_thread(std::uint64_t track, EventId id, PlaceNames& places) {
    const NodeTrace& node = nodes_[id.node];
    const RankTrace& rank = node.ranks[id.rank];
    std::vector<OpenSlice> open;
    const auto close_until = [&](std::int64_t time) {
      for (; !open.empty() && open.back().end_ns <= time; open.pop_back()) {
        write_arrival(track, node, open.back());
        writer_.end(track, time_of(node, open.back().end_ns));
      }
    };
    for (const Event& event : rank.threads[id.thread].events) {
      close_until(event.begin_ns);
      write_event(track, id, event, places);
      if (event.kind != EventKind::batch)
        open.push_back(
            {event.is_open ? std::numeric_limits<std::int64_t>::max() : event.end_ns(), id});
      ++id.event;
    }
    close_until(std::numeric_limits<std::int64_t>::max() - 1);
  }

  // Marks, at the end of a wait, the arrival of the event that ended it.
  void write_arrival(std::uint64_t track, const NodeTrace& node, const OpenSlice& slice) {
    const std::span<const std::uint64_t> flows = flows_at(ends_, slice.event);
    if (flows.empty()) return;
    writer_.at_once({.track = track,
                     .time_ns = time_of(node, slice.end_ns),
                     .name = "arrival",
                     .category = "wait",
                     .arguments = {},
                     .flows_out = {},
                     .flows_in = flows});
  }

  void write_event(std::uint64_t track, const EventId& id, const Event& event, PlaceNames& places) {
    const NodeTrace& node = nodes_[id.node];
    const RankTrace& rank = node.ranks[id.rank];
    const std::string name = name_of(rank, event);
    const bool has_place = event.place != 0 && event.kind != EventKind::barrier;
    const std::string place = has_place ? places.text(event) : "";
    std::vector<perfetto::Argument> arguments = arguments_of(rank, event);
    const auto add = [&arguments](std::string_view argument, std::string_view value) {
      if (!value.empty()) arguments.push_back({argument, value});
    };
    add("place", place);
    if (has_place) add("device", places.device(event));
    add_last_arrival(id, arguments);
    if (const SourceLine* line = line_of_call(rank, event, symbols_)) {
      add("function", line->function);
      add("source", line->place);
    }
    const perfetto::Mark mark{.track = track,
                              .time_ns = time_of(node, event.begin_ns),
                              .name = name,
                              .category = category_of(event.kind),
                              .arguments = arguments,
                              .flows_out = flows_at(begins_, id),
                              .flows_in = {}};
    if (event.kind == EventKind::batch)
      writer_.at_once(mark);
    else
      writer_.begin(mark);
  }

  // For a barrier, adds the last rank to arrive; in that rank's own event, also its delay.
  void add_last_arrival(const EventId& id, std::vector<perfetto::Argument>& arguments) const {
    const auto barrier = barriers_.find(id);
    if (barrier == barriers_.end()) return;
    const LastArrival& last = barrier->second;
    arguments.push_back({"last", std::uint64_t{last.rank}});
    if (last.event == id)
      arguments.push_back({"late_ns", static_cast<std::uint64_t>(last.late_ns)});
  }

  static std::uint64_t time_of(const NodeTrace& node, std::int64_t ns) {
    return static_cast<std::uint64_t>(node.here(ns));
  }

  static std::span<const std::uint64_t> flows_at(const FlowNumbers& numbers, const EventId& id) {
    const auto found = numbers.find(id);
    return found == numbers.end() ? std::span<const std::uint64_t>() : found->second;
  }

  const std::vector<NodeTrace>& nodes_;
  perfetto::TraceWriter& writer_;
  Barriers barriers_;
  Symbols symbols_;
  std::uint64_t flow_numbers_ = 0;
  FlowNumbers begins_;
  FlowNumbers ends_;
  std::set<std::uint32_t> processes_;
  std::uint64_t tracks_ = 0;
};

struct Contents {
  std::size_t ranks = 0;
  std::uint64_t events = 0;
  std::uint64_t replaced = 0;
  std::uint64_t untraced = 0;
  std::int64_t error_ns = 0;
  bool is_sampled = false;
};

Contents contents_of(const std::vector<NodeTrace>& nodes) {
  Contents all;
  for (const NodeTrace& node : nodes) {
    all.error_ns = std::max(all.error_ns, node.error_ns);
    all.is_sampled |= node.is_sampled;
    for (const RankTrace& rank : node.ranks) {
      all.ranks += rank.rank != RankTrace::agent ? 1 : 0;
      all.untraced += rank.untraced;
      for (const ThreadTrace& thread : rank.threads) {
        all.events += thread.events.size();
        all.replaced += thread.replaced;
      }
    }
  }
  return all;
}

Result<void> write_file(const std::vector<NodeTrace>& nodes, const std::string& file) {
  const Result<void*> symbol = find_in_module("libgondwana_perfetto.so", perfetto::perfetto_symbol);
  if (!symbol)
    return Error{Errc::missing, fmt::format("no trace was written: {}; install the protobuf "
                                            "library (libprotobuf-lite) and build again",
                                            symbol.error().text)};
  const auto no_file = [&file](const Error& why) {
    return Error{Errc::refused, fmt::format("cannot write the trace to {}: {}", file, why.text)};
  };
  Result<NewFile> out = NewFile::open(file);
  if (!out) return no_file(out.error());
  const RemovedBySignals removed(out->unfinished());
  std::unique_ptr<perfetto::TraceWriter> writer;
  reinterpret_cast<perfetto::MakeTraceWriter>(*symbol)(out->get(), &writer);
  JobWriter(nodes, *writer).write();
  if (const Result<void> written = writer->finish(); !written) return no_file(written.error());
  if (const Result<void> kept = out->keep(); !kept) return no_file(kept.error());
  return {};
}

Result<std::string> summary(const std::vector<NodeTrace>& nodes, const std::string& file) {
  const Contents all = contents_of(nodes);
  if (all.events == 0)
    return Error{Errc::missing, all.ranks == 0
                                    ? "there are no events: no rank has initialised the library"
                                    : "there are no events"};
  std::string text = fmt::format("{} of {} in {}; https://ui.perfetto.dev shows it",
                                 plural(all.events, "event"), plural(all.ranks, "rank"), file);
  if (all.is_sampled)
    text +=
        "; the job is not traced, so only waits that were seen meanwhile are shown: gondwana run "
        "--trace adds calls and puts";
  if (all.replaced > 0)
    text += fmt::format("; {} earlier events were overwritten: raise GONDWANA_TRACE_SIZE",
                        all.replaced);
  if (all.untraced > 0)
    text += fmt::format("; {} not traced: a rank traces up to {}", plural(all.untraced, "thread"),
                        TracePlace::rings);
  if (all.error_ns > 0)
    text += fmt::format("; clocks of the hosts agree to {} us", (all.error_ns + 999) / 1000);
  return text;
}

// Program and host names come from outside; the file accepts only UTF-8.
void make_printable(std::vector<NodeTrace>& nodes) {
  const auto change = [](std::string& text) { text = printable(text); };
  for (NodeTrace& node : nodes) {
    change(node.job);
    change(node.host);
    for (RankTrace& rank : node.ranks) {
      std::ranges::for_each(rank.names, change);
      for (Module& module : rank.modules)
        if (printable(module.file) != module.file) module.file.clear();
      std::ranges::for_each(rank.threads, change, &ThreadTrace::name);
    }
  }
}

}  // namespace

Result<std::string> write_trace(std::vector<NodeTrace> nodes, std::string file,
                                std::chrono::milliseconds last) {
  make_printable(nodes);
  keep_last(nodes, std::chrono::nanoseconds(last).count());
  if (file.empty() && !nodes.empty()) file = fmt::format("gondwana-{}.pftrace", nodes.front().job);
  Result<std::string> text = summary(nodes, file);
  if (!text) return text;
  if (const Result<void> written = write_file(nodes, file); !written) return written.error();
  return text;
}

}  // namespace gondwana::trace
