#include "engine/collectives/staged/scratch_space.hpp"

#include <algorithm>

#include "core/machine.hpp"

namespace gondwana {

TeamScratch& ScratchSpace::at(std::uint64_t offset) const {
  return shared_at<TeamScratch>(with_.memory.window(with_.me), offset);
}

std::size_t ScratchSpace::size_of_place() const {
  if (is_on_one_node()) return sizeof(TeamScratch);
  return 2 * sizeof(TeamScratch) + size_of_replicas();
}

std::size_t ScratchSpace::size_of_replicas() const {
  const Roster& roster = with_.memory.roster();
  const std::size_t leaders =
      with_.rma.reach().covers(with_.me) ? roster.node_slots() : roster.capacity();
  return leaders * sizeof(TeamScratch);
}

// Clears the words of the scratch, because it may have had another owner.
std::optional<StagedPlace> ScratchSpace::take() {
  const std::uint32_t levels = is_on_one_node() ? 1 : 2;
  const std::scoped_lock lock(mutex_);
  release_retired();
  if (spare_.empty()) {
    const auto offset = allocate(levels * sizeof(TeamScratch));
    if (!offset) return std::nullopt;
    spare_.push_back(*offset);
  }
  StagedPlace place{.scratch = spare_.back()};
  if (!is_on_one_node()) {
    const auto offset = allocate(size_of_replicas());
    if (!offset) return std::nullopt;
    place.replicas = *offset;
  }
  spare_.pop_back();
  for (std::uint32_t level = 0; level < levels; ++level) {
    TeamScratch& scratch = at(place.scratch + level * sizeof(TeamScratch));
    scratch.clear_words();
    place.epoch = std::max(place.epoch, scratch.last_epoch());
  }
  return place;
}

std::optional<std::uint64_t> ScratchSpace::allocate(std::size_t size) {
  std::optional<MutableBytes> range = with_.segments.allocate(size);
  if (!range) {
    with_.rooms.clear();
    range = with_.segments.allocate(size);
  }
  if (!range) return std::nullopt;
  return static_cast<std::uint64_t>(range->data() - with_.memory.window(with_.me));
}

MutableBytes ScratchSpace::replicas(const StagedPlace& place) const {
  if (is_on_one_node()) return {};
  return {with_.memory.window(with_.me) + place.replicas, size_of_replicas()};
}

void ScratchSpace::retire(const StagedPlace& place) {
  const std::scoped_lock lock(mutex_);
  retired_.add(place, monotonic_ns());
}

// No member polls their lines any more, so these may begin anew.
void ScratchSpace::release_retired() {
  const std::size_t levels = is_on_one_node() ? 1 : 2;
  std::byte* const arena = with_.memory.window(with_.me);
  while (const std::optional<StagedPlace> place = retired_.take(monotonic_ns())) {
    if (!is_on_one_node()) with_.segments.release(replicas(*place));
    with_.segments.release({arena + place->scratch, levels * sizeof(TeamScratch)});
  }
}

void ScratchSpace::give_back(const StagedPlace& place) {
  if (!is_on_one_node()) with_.segments.release(replicas(place));
  const std::scoped_lock lock(mutex_);
  spare_.push_back(place.scratch);
}

}  // namespace gondwana
