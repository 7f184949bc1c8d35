// The structures that the processes of a job share, joined from the lists of the layers.
#include <algorithm>
#include <array>
#include <string_view>

#include "core/fingerprint.hpp"
#include "engine/collectives/common/team_scratch.hpp"
#include "engine/rma/bounce/landings.hpp"
#include "front/armci/shared_place.hpp"
#include "front/gasnet/segment_directory.hpp"
#include "memory/layout.hpp"
#include "memory/shown_memory.hpp"
#include "spaces/space_table.hpp"
#include "tracing/trace_place.hpp"

namespace gondwana {
namespace {

template <std::size_t... Sizes>
consteval auto joined(const std::array<Area, Sizes>&... lists) {
  std::array<Area, (... + Sizes)> all{};
  auto* end = all.begin();
  ((end = std::ranges::copy(lists, end).out), ...);
  std::ranges::sort(all, {}, &Area::offset);
  return all;
}

constexpr std::array areas =
    joined(system_area::areas,
           std::array{system_area::team_places, system_area::armci_place,
                      system_area::segment_directory, system_area::exit_tallies,
                      system_area::spaces, system_area::space_viewers, system_area::bounces});

consteval bool are_disjoint() {
  return std::ranges::adjacent_find(areas, [](const Area& one, const Area& next) {
           return one.end() > next.offset;
         }) == areas.end();
}
static_assert(are_disjoint() && areas.back().end() <= NodePlan::system_size);

consteval std::uint64_t fingerprint_of_memory() {
  Hash all;
  all.add(fingerprint_of(MemoryStructures{})).add(fingerprint_of(TraceStructures{}));
  all.add(fingerprint_of(ShownStructures{})).add(fingerprint_of(SpaceStructures{}));
  all.add(fingerprint_of(CollectiveStructures{})).add(fingerprint_of(BounceStructures{}));
  all.add(fingerprint_of(GasnetStructures{})).add(fingerprint_of(ArmciStructures{}));
  for (const Area& area : areas) all.add(area.offset).add(area.size).add(area.count);
  all.add(NodePlan::system_size).add(arena_alignment).add(huge_offset);
  constexpr ControlLayout three(3, 2, min_ring_size, NodePlan::min_teams);
  for (const std::size_t offset :
       {three.page(2), three.line(1, 2), three.scratch(1, 2), three.entry(1), three.contacts(),
        three.relay(1), three.batches(1), three.trace(1), three.threads(1), three.shown_team(1, 2),
        three.size()})
    all.add(offset);
  constexpr InboxLayout inbox(3);
  for (const std::size_t offset :
       {inbox.news(1), inbox.claimed(1), inbox.channel(1), inbox.block(1, 1), inbox.size()})
    all.add(offset);
  for (const std::string_view name : count_names) all.add(name);
  return all.value();
}

}  // namespace

constinit const std::uint64_t memory_fingerprint = fingerprint_of_memory();

}  // namespace gondwana
