#include "trace/flows.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "trace/places.hpp"

namespace gondwana::trace {
namespace {

struct Update {
  std::int64_t begin_ns;  // by the clock of the first node
  SymmetricPlace place;
  std::uint64_t end;  // behind the last byte that changed
  EventId event;
};

struct Wait {
  std::uint32_t rank;
  std::int64_t end_ns;
  SymmetricPlace place;
  std::uint64_t end;
  EventId event;
};

// How many updates before the end of a wait are looked at.
constexpr std::size_t most_looks = 10'000;

// Of each rank, in the order of their begin.
using Updates = std::map<std::uint32_t, std::vector<Update>>;

template <typename Take>
void for_events(const std::vector<NodeTrace>& nodes, const Take& take) {
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (std::size_t rank = 0; rank < nodes[node].ranks.size(); ++rank) {
      const std::vector<ThreadTrace>& threads = nodes[node].ranks[rank].threads;
      for (std::size_t thread = 0; thread < threads.size(); ++thread)
        for (std::size_t event = 0; event < threads[thread].events.size(); ++event)
          take(nodes[node], nodes[node].ranks[rank], threads[thread].events[event],
               EventId{node, rank, thread, event});
    }
  }
}

Updates updates_in(const std::vector<NodeTrace>& nodes) {
  Updates updates;
  for_events(nodes, [&](const NodeTrace& node, const RankTrace& rank, const Event& event,
                        const EventId& id) {
    if (event.kind != EventKind::put && event.kind != EventKind::atomic) return;
    const std::optional<SymmetricPlace> place = symmetric_place(rank, event.place);
    if (!place) return;
    updates[event.peer].push_back({event.begin_ns - node.ahead_ns, *place,
                                   place->offset + std::max<std::uint64_t>(event.bytes, 8), id});
  });
  for (auto& [rank, all] : updates) std::ranges::sort(all, {}, &Update::begin_ns);
  return updates;
}

std::vector<Wait> waits_in(const std::vector<NodeTrace>& nodes) {
  std::vector<Wait> waits;
  for_events(nodes, [&](const NodeTrace& node, const RankTrace& rank, const Event& event,
                        const EventId& id) {
    if (event.kind != EventKind::word_wait || event.is_open) return;
    const std::optional<SymmetricPlace> place = symmetric_place(rank, event.place);
    // Updates of another host may seem later than they were.
    if (place)
      waits.push_back({rank.rank, event.end_ns() - node.ahead_ns + node.error_ns, *place,
                       place->offset + event.bytes, id});
  });
  return waits;
}

bool overlap(const Update& update, const Wait& wait) {
  return update.place.area == wait.place.area && update.place.offset < wait.end &&
         wait.place.offset < update.end;
}

std::optional<EventId> last_before(const std::vector<Update>& updates, const Wait& wait) {
  auto update = std::ranges::upper_bound(updates, wait.end_ns, {}, &Update::begin_ns);
  for (std::size_t looks = 0; update != updates.begin() && looks < most_looks; ++looks)
    if (overlap(*--update, wait)) return update->event;
  return std::nullopt;
}

}  // namespace

std::vector<Flow> find_flows(const std::vector<NodeTrace>& nodes) {
  const Updates updates = updates_in(nodes);
  std::vector<Wait> waits = waits_in(nodes);
  std::ranges::sort(waits, {}, &Wait::end_ns);
  std::set<EventId> used;
  std::vector<Flow> flows;
  for (const Wait& wait : waits) {
    const auto of_rank = updates.find(wait.rank);
    if (of_rank == updates.end()) continue;
    const std::optional<EventId> from = last_before(of_rank->second, wait);
    if (from && used.insert(*from).second) flows.push_back({*from, wait.event});
  }
  return flows;
}

}  // namespace gondwana::trace
