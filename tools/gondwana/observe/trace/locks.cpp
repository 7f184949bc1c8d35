// Finds which release of a lock allowed the next rank to take it.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "observe/trace/flows.hpp"
#include "observe/trace/places.hpp"

namespace gondwana::trace {
namespace {

struct Step {
  std::uint32_t rank;
  EventKind kind;
  std::int64_t begin_ns;  // by the clock of the first node
  std::int64_t end_ns;
  EventId event;
};

using Steps = std::map<SymmetricPlace, std::vector<Step>>;

Steps steps_in(const std::vector<NodeTrace>& nodes) {
  Steps steps;
  for_events(nodes, [&](const NodeTrace& node, const RankTrace& rank, const Event& event,
                        const EventId& id) {
    if (event.kind != EventKind::acquire && event.kind != EventKind::try_acquire &&
        event.kind != EventKind::release)
      return;
    if (event.is_open && event.kind != EventKind::release) return;
    if (const auto place = symmetric_place(rank, event.place))
      steps[*place].push_back(
          {rank.rank, event.kind, node.here(event.begin_ns), node.here(event.end_ns()), id});
  });
  return steps;
}

// A lock is held from the end of an acquire to the start of a release.
struct Hold {
  const Step* acquire;
  const Step* release;  // null: not released yet
};

// A failed try is not an acquire; the last try before a release was the successful one.
void add_holds(const std::vector<const Step*>& of_rank, std::vector<Hold>& holds) {
  const Step* taken = nullptr;
  for (const Step* step : of_rank) {
    if (step->kind != EventKind::release) {
      taken = step;
      continue;
    }
    if (taken != nullptr) holds.push_back({taken, step});
    taken = nullptr;
  }
  if (taken != nullptr && taken->kind == EventKind::acquire) holds.push_back({taken, nullptr});
}

}  // namespace

std::vector<Flow> find_lock_flows(const std::vector<NodeTrace>& nodes) {
  std::vector<Flow> flows;
  for (auto& [place, steps] : steps_in(nodes)) {
    std::map<std::uint32_t, std::vector<const Step*>> by_rank;
    for (const Step& step : steps) by_rank[step.rank].push_back(&step);
    std::vector<Hold> holds;
    for (auto& [rank, of_rank] : by_rank) {
      std::ranges::stable_sort(of_rank, {}, [](const Step* step) { return step->begin_ns; });
      add_holds(of_rank, holds);
    }
    std::ranges::stable_sort(holds, {}, [](const Hold& hold) { return hold.acquire->end_ns; });
    for (std::size_t next = 1; next < holds.size(); ++next) {
      const Hold& before = holds[next - 1];
      if (before.release != nullptr && before.release->rank != holds[next].acquire->rank)
        flows.push_back({before.release->event, holds[next].acquire->event});
    }
  }
  return flows;
}

}  // namespace gondwana::trace
