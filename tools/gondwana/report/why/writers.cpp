#include "report/why/writers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/machine.hpp"
#include "observe/trace/flows.hpp"
#include "observe/trace/places.hpp"
#include "report/why/rank_text.hpp"
#include "report/why/sentences.hpp"
#include "report/why/wait_graph.hpp"

namespace gondwana::why {
namespace {

using jobs::RankSeen;
using trace::Event;
using trace::NodeTrace;
using trace::RankTrace;

constexpr std::uint64_t near = 64;  // bytes

bool waits_for_words(const RankSeen& rank) {
  return activity_of(rank) == Activity::wait && rank.wait->place != 0 &&
         rank.wait->awaited.words != 0;
}

// A range of symmetric memory.
struct Range {
  trace::SymmetricPlace begin;
  std::uint64_t size;

  std::uint64_t end() const { return begin.offset + size; }
};

// The distance of `other`: negative before the range, positive after it, 0 if they overlap.
std::int64_t distance(const Range& range, const Range& other) {
  if (other.end() <= range.begin.offset)
    return -static_cast<std::int64_t>(range.begin.offset - other.end()) - 1;
  if (other.begin.offset >= range.end())
    return static_cast<std::int64_t>(other.begin.offset - range.end()) + 1;
  return 0;
}

struct Write {
  const RankTrace* by;
  const Event* event;
  std::int64_t at_ns;     // time on this host's clock
  std::int64_t distance;  // distance from the words
};

std::string_view name_of(const RankTrace& rank, const Event& event) {
  return event.name < rank.names.size() ? std::string_view(rank.names[event.name]) : "";
}

// A put with a signal records the address of the signal.
std::uint64_t bytes_at_place(const RankTrace& rank, const Event& event) {
  if (name_of(rank, event).find("signal") != std::string_view::npos) return sizeof(std::uint64_t);
  return std::max<std::uint64_t>(event.bytes, 1);
}

std::optional<Range> words_of(const std::vector<NodeTrace>& nodes, const RankSeen& waiting) {
  for (const NodeTrace& node : nodes)
    for (const RankTrace& rank : node.ranks) {
      if (rank.rank != waiting.rank) continue;
      const auto place = trace::symmetric_place(rank, waiting.wait->place);
      const Awaited& awaited = waiting.wait->awaited;
      if (place) return Range{*place, std::uint64_t{awaited.words} * awaited.size};
    }
  return std::nullopt;
}

// The last write that overlaps; otherwise the last one nearby.
std::optional<Write> last_write(const std::vector<NodeTrace>& nodes, std::uint32_t target,
                                const Range& words) {
  std::optional<Write> last;
  trace::for_events(nodes, [&](const NodeTrace& node, const RankTrace& rank, const Event& event,
                               const trace::EventId& /*id*/) {
    const bool writes = event.kind == EventKind::put || event.kind == EventKind::atomic;
    if (!writes || event.peer != target) return;
    const auto place = trace::symmetric_place(rank, event.place);
    if (!place || place->area != words.begin.area) return;
    const std::int64_t from = distance(words, {*place, bytes_at_place(rank, event)});
    if (static_cast<std::uint64_t>(std::abs(from)) > near) return;
    const Write write{&rank, &event, node.here(event.begin_ns), from};
    const bool is_better = !last || (from == 0) > (last->distance == 0) ||
                           ((from == 0) == (last->distance == 0) && write.at_ns > last->at_ns);
    if (is_better) last = write;
  });
  return last;
}

// Returns "shmem_int_p at heat.c:41 in main, 3.2 s ago".
std::string describe(const Write& write, std::int64_t now_ns, trace::Symbols& symbols) {
  std::string text(name_of(*write.by, *write.event));
  if (const trace::SourceLine* line = trace::line_of_call(*write.by, *write.event, symbols)) {
    if (!line->place.empty()) text += " at " + line->place;
    if (!line->function.empty()) text += " in " + line->function;
  }
  const double ago = static_cast<double>(std::max<std::int64_t>(now_ns - write.at_ns, 0)) * 1e-9;
  return text + fmt::format(", {} ago", format_seconds(ago));
}

}  // namespace

std::string describe_writer(const std::vector<NodeTrace>& nodes, const RankSeen& waiting,
                            std::int64_t now_ns, trace::Symbols& symbols) {
  const std::string& word = waiting.wait->word;
  const std::string what =
      sentences::word_of(word.empty() ? sentences::some_word : word, waiting.rank);
  const std::optional<Range> words = words_of(nodes, waiting);
  if (!words) return sentences::not_symmetric(what);
  const std::optional<Write> last = last_write(nodes, waiting.rank, *words);
  if (!last) return sentences::no_write(what);
  const std::string write = describe(*last, now_ns, symbols);
  if (last->distance == 0) return sentences::last_write(what, last->by->rank, write);
  const auto gap = static_cast<std::uint64_t>(std::abs(last->distance)) - 1;
  const std::string_view side = last->distance < 0 ? "before" : "after";
  const std::string where = gap == 0 ? sentences::adjacent(side) : sentences::bytes_away(gap, side);
  return sentences::write_near(what, where, last->by->rank, write);
}

std::vector<std::string> find_writers(hosts::JobView& view, const jobs::JobSeen& job,
                                      const std::vector<std::uint32_t>& ranks,
                                      FunctionRef<bool()> continues) {
  constexpr std::size_t most = 4;           // as many as a person reads
  constexpr std::uint32_t max_traced = 64;  // more would take too long to read
  std::vector<const RankSeen*> waiting;
  for (const RankSeen& rank : job.seen)
    if (waits_for_words(rank) && std::ranges::find(ranks, rank.rank) != ranks.end() &&
        waiting.size() < most)
      waiting.push_back(&rank);
  if (waiting.empty()) return {};
  if (!job.is_traced) return {std::string(sentences::needs_trace)};
  if (job.ranks > max_traced) return {std::string(sentences::needs_trace_file)};
  const std::vector<NodeTrace> nodes = view.trace(std::chrono::milliseconds(0), continues);
  trace::Symbols symbols;
  std::vector<std::string> found;
  found.reserve(waiting.size());
  for (const RankSeen* rank : waiting)
    found.push_back(
        describe_writer(nodes, *rank, static_cast<std::int64_t>(monotonic_ns()), symbols));
  return found;
}

}  // namespace gondwana::why
