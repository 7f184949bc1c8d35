#include "engine/collectives/staged/scratch_space.hpp"

#include <fmt/format.h>

#include "core/parse.hpp"

namespace gondwana {

TeamScratch& ScratchSpace::at(std::uint64_t offset) const {
  return shared_at<TeamScratch>(with_.memory.window(with_.me), offset);
}

// What collectives keep in it begins as zero, whoever had it before.
StagedPlace ScratchSpace::take(std::uint32_t members, CallName call) {
  StagedPlace place;
  const std::scoped_lock lock(mutex_);
  if (spare_.empty()) {
    place.scratch = allocate(sizeof(TeamScratch), call);
  } else {
    place.scratch = spare_.back();
    spare_.pop_back();
  }
  at(place.scratch).clear_words();
  place.epoch = at(place.scratch).line.epoch.load(std::memory_order_relaxed);
  if (!with_.rma.reaches_all()) place.replicas = allocate(members * sizeof(TeamScratch), call);
  return place;
}

std::uint64_t ScratchSpace::allocate(std::size_t size, CallName call) {
  const std::optional<MutableBytes> range = with_.segments.allocate(size);
  if (!range)
    with_.give_up(call, fmt::format("no {} of memory are left for what the members of a team show "
                                    "each other; destroy teams or attach a smaller segment",
                                    format_size(size)));
  return static_cast<std::uint64_t>(range->data() - with_.memory.window(with_.me));
}

MutableBytes ScratchSpace::replicas(const StagedPlace& place, std::uint32_t members) const {
  if (place.replicas == 0) return {};
  return {with_.memory.window(with_.me) + place.replicas, members * sizeof(TeamScratch)};
}

void ScratchSpace::give_back(const StagedPlace& place, std::uint32_t members) {
  if (place.replicas != 0) with_.segments.release(replicas(place, members));
  const std::scoped_lock lock(mutex_);
  spare_.push_back(place.scratch);
}

}  // namespace gondwana
