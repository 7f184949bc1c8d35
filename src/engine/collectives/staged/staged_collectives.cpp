#include "engine/collectives/staged/staged_collectives.hpp"

#include <algorithm>
#include <utility>

namespace gondwana {
namespace {

using staged::MemberPlaces;

// The setup for some members of a team; `which` lists them in order. All members of the team count
// epochs from the same one.
StagedTeam::Setup part_of(const StagedCollectives::Setup& all, std::uint32_t me,
                          std::span<const std::uint32_t> which) {
  StagedTeam::Setup part;
  part.me = me;
  part.offset_of = all.offset_of;
  const Epoch epoch = std::ranges::max(all.places, {}, &StagedPlace::epoch).epoch;
  for (const std::uint32_t member : which) {
    part.ranks.push_back(all.ranks[member]);
    part.places.push_back(all.places[member]);
    part.places.back().epoch = epoch;
  }
  return part;
}

std::vector<std::uint32_t> leaders_in(const MemberPlaces& map) {
  std::vector<std::uint32_t> leaders(map.nodes());
  for (std::uint32_t node = 0; node < map.nodes(); ++node)
    leaders[node] = map.members_of(node).front();
  return leaders;
}

}  // namespace

StagedCollectives::StagedCollectives(const CollectiveResources& with, const Setup& setup)
    : with_(with) {
  MemberPlaces map(setup.nodes);
  const auto [node, at] = map.place_of(setup.me);
  auto here = std::make_unique<StagedTeam>(with, part_of(setup, at, map.members_of(node)));
  if (map.nodes() == 1) {
    members_ = std::move(here);
    return;
  }
  StagedTeam::Setup part = part_of(setup, node, leaders_in(map));
  part.replicas = setup.replicas;
  for (StagedPlace& place : part.places) place.scratch += sizeof(TeamScratch);
  if (at == 0) here->own().complete.store(part.places[0].epoch, std::memory_order_release);
  auto leaders = std::make_unique<StagedTeam>(with, std::move(part));
  levels_ = std::make_unique<staged::Levels>(std::move(map), setup.me, std::move(here),
                                             std::move(leaders));
}

}  // namespace gondwana
