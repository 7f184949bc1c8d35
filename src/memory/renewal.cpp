#include "memory/renewal.hpp"

#include <algorithm>

namespace gondwana {
namespace {

constexpr std::size_t page = 4096;

constexpr std::size_t end_of(const Area& area) {
  return round_up(area.end(), page);
}

}  // namespace

// Other ranks compare their facts with those of a dead rank.
std::vector<ArenaRange> ranges_to_empty(const NodePlan& plan, Replacement replacement) {
  using namespace system_area;
  static_assert(end_of(kept_heap) <= data_bell.offset && facts.offset % page == 0 &&
                remote_heap.offset % page == 0);
  std::vector<ArenaRange> ranges{{end_of(kept_heap), facts.offset}};
  if (replacement != Replacement::kept) {
    ranges.push_back({end_of(facts), plan.arena_size()});
    return ranges;
  }
  ranges.push_back({end_of(facts), remote_heap.offset});
  ranges.push_back({end_of(remote_heap), NodePlan::system_size});
  ranges.push_back({plan.inbox_offset(), plan.arena_size()});
  return ranges;
}

void renew(ControlPage& page, ThreadSlots& threads, std::size_t touched) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const auto used = threads.in_use().size();
  for (std::size_t i = 0; i < used; ++i) threads.slots[i].waiting.since_ns.store(0, relaxed);
  page.sync_bell.asleep.store(0, relaxed);
  page.heeded.store(0, relaxed);
  page.library_threads.store(0, relaxed);
  page.presence.process.store(0, relaxed);
  page.traffic.sent.store(0, relaxed);
  page.traffic.received.store(0, relaxed);
  page.traffic.pending.store(0, relaxed);
  page.legacy.touched.store(touched, relaxed);
  page.legacy.segments_begin.store(0, relaxed);
  page.legacy.segments_end.store(0, relaxed);
  page.state.store(RankState::absent, std::memory_order_release);
}

// The dead process may have been in teams with one that was started again before it died, and that
// was numbered by an earlier change.
void begin_new_epochs(ControlPage& page, std::uint32_t changes) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const std::uint32_t next = page.legacy.generation.load(relaxed) + 1;
  page.legacy.generation.store(std::max(next, changes), relaxed);
}

}  // namespace gondwana
