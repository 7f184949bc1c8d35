#include "observe/trace/flows.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "observe/trace/places.hpp"

namespace gondwana::trace {
namespace {

struct Update {
  std::int64_t begin_ns;  // by the clock of the first node
  SymmetricPlace place;
  std::uint64_t end;  // after the last byte that changed
  EventId event;
};

struct Wait {
  std::uint32_t rank;
  std::int64_t end_ns;
  std::int64_t latest_ns;  // latest time of a remote update that may have come before the end
  SymmetricPlace place;
  std::uint64_t end;
  EventId event;
};

// The number of updates larger than a word that are checked before the end of a wait.
constexpr std::size_t max_samples = 10'000;
constexpr std::uint64_t word = 8;

// The updates to one rank, sorted by start.
struct Updates {
  std::map<std::pair<SymmetricArea, std::uint64_t>, std::vector<Update>> words;  // by location
  std::vector<Update> larger;
};
using AllUpdates = std::map<std::uint32_t, Updates>;

AllUpdates updates_in(const std::vector<NodeTrace>& nodes) {
  AllUpdates all;
  for_events(nodes, [&](const NodeTrace& node, const RankTrace& rank, const Event& event,
                        const EventId& id) {
    if (event.kind != EventKind::put && event.kind != EventKind::atomic) return;
    const std::optional<SymmetricPlace> place = symmetric_place(rank, event.place);
    if (!place) return;
    Updates& updates = all[event.peer];
    std::vector<Update>& list =
        event.bytes > word ? updates.larger : updates.words[{place->area, place->offset}];
    list.push_back({node.here(event.begin_ns), *place,
                    place->offset + std::max<std::uint64_t>(event.bytes, word), id});
  });
  for (auto& [rank, updates] : all) {
    std::ranges::sort(updates.larger, {}, &Update::begin_ns);
    for (auto& [place, list] : updates.words) std::ranges::sort(list, {}, &Update::begin_ns);
  }
  return all;
}

std::vector<Wait> waits_in(const std::vector<NodeTrace>& nodes) {
  std::vector<Wait> waits;
  std::int64_t error_ns = 0;
  for (const NodeTrace& node : nodes) error_ns = std::max(error_ns, node.error_ns);
  for_events(nodes, [&](const NodeTrace& node, const RankTrace& rank, const Event& event,
                        const EventId& id) {
    if (event.kind != EventKind::word_wait || event.is_open) return;
    const std::optional<SymmetricPlace> place = symmetric_place(rank, event.place);
    const std::int64_t end_ns = node.here(event.end_ns());
    if (place)
      waits.push_back(
          {rank.rank, end_ns, end_ns + error_ns, *place, place->offset + event.bytes, id});
  });
  return waits;
}

bool overlap(const Update& update, const Wait& wait) {
  return update.place.area == wait.place.area && update.place.offset < wait.end &&
         wait.place.offset < update.end;
}

using Used = std::set<EventId>;

// Null if none of the last `samples` updates before the end of the wait changed the words it waited
// for.
const Update* last_before(const std::vector<Update>& list, const Wait& wait, std::size_t samples) {
  auto update = std::ranges::upper_bound(list, wait.end_ns, {}, &Update::begin_ns);
  for (; update != list.begin() && samples > 0; --samples)
    if (overlap(*--update, wait)) return &*update;
  return nullptr;
}

// Null if no update came after the end of the wait within the error of the clocks.
const Update* first_after(const std::vector<Update>& list, const Wait& wait, const Used& used) {
  auto update = std::ranges::upper_bound(list, wait.end_ns, {}, &Update::begin_ns);
  for (; update != list.end() && update->begin_ns <= wait.latest_ns; ++update)
    if (overlap(*update, wait) && !used.contains(update->event)) return &*update;
  return nullptr;
}

// Passes all lists that may contain an update of the words that were waited for.
template <typename Take>
void for_lists(const Updates& updates, const Wait& wait, const Take& take) {
  take(updates.larger, max_samples);
  const std::uint64_t from = wait.place.offset - std::min(wait.place.offset, word - 1);
  for (auto words = updates.words.lower_bound({wait.place.area, from});
       words != updates.words.end() && words->first < std::pair(wait.place.area, wait.end); ++words)
    take(words->second, 1);
}

const Update* find_update(const Updates& updates, const Wait& wait, const Used& used) {
  const Update* last = nullptr;
  for_lists(updates, wait, [&](const std::vector<Update>& list, std::size_t samples) {
    const Update* update = last_before(list, wait, samples);
    if (update != nullptr && (last == nullptr || update->begin_ns > last->begin_ns)) last = update;
  });
  if (last != nullptr && !used.contains(last->event)) return last;
  const Update* first = nullptr;
  for_lists(updates, wait, [&](const std::vector<Update>& list, std::size_t /*samples*/) {
    const Update* update = first_after(list, wait, used);
    if (update != nullptr && (first == nullptr || update->begin_ns < first->begin_ns))
      first = update;
  });
  return first;
}

}  // namespace

std::vector<Flow> find_flows(const std::vector<NodeTrace>& nodes) {
  const AllUpdates updates = updates_in(nodes);
  std::vector<Wait> waits = waits_in(nodes);
  std::ranges::sort(waits, {}, &Wait::end_ns);
  Used used;
  std::vector<Flow> flows;
  for (const Wait& wait : waits) {
    const auto of_rank = updates.find(wait.rank);
    if (of_rank == updates.end()) continue;
    const Update* update = find_update(of_rank->second, wait, used);
    if (update == nullptr) continue;
    used.insert(update->event);
    flows.push_back({update->event, wait.event});
  }
  return flows;
}

}  // namespace gondwana::trace
