#include "engine/collectives/staged/staged_team.hpp"

#include <algorithm>
#include <utility>

namespace gondwana {

StagedTeam::StagedTeam(const CollectiveResources& with, Setup setup)
    : with_(with),
      ranks_(std::move(setup.ranks)),
      me_(setup.me),
      offset_of_(std::move(setup.offset_of)),
      places_(std::move(setup.places)) {
  for (std::uint32_t i = 0; i < size(); ++i) {
    const StagedPlace& place = places_[i];
    std::byte* scratch = nullptr;
    if (reaches(i)) {
      scratch = with_.memory.window(ranks_[i]) + place.scratch;
    } else {
      remote_.push_back(i);
      scratch = setup.replicas.data() + i * sizeof(TeamScratch);
    }
    scratch_.push_back(&shared_at<TeamScratch>(scratch, 0));
    epoch_ = std::max(epoch_, place.epoch);
  }
}

void StagedTeam::finish(Turn turn) {
  // A member that waits for a slot polls again within a millisecond. Waking it avoids that delay.
  const Turn tell_each = reaches_all() ? TeamScratch::depth / 4 : TeamScratch::pushed_depth / 2;
  turns_.finish(turn, own(), with_.has_threads, [&](Turn before, Turn now) {
    if (before / tell_each == now / tell_each) return;
    tell_word(*this, {}, &own().finished);
    wake_others();
  });
}

std::uint64_t StagedTeam::offset_of(const void* address, std::size_t size) const {
  const std::uint64_t at = offset_in_arena(static_cast<const std::byte*>(address));
  const std::size_t end = with_.memory.plan().inbox_offset();
  if (at <= end && size <= end - at) return at;
  const std::size_t symmetric = with_.symmetric.ranges().offset_of(address, size);
  if (symmetric != SymmetricRanges::nowhere) return symmetric;
  return offset_of_ ? offset_of_({static_cast<const std::byte*>(address), size}) : nowhere;
}

void StagedTeam::send(std::uint32_t member, const Written& written,
                      const std::atomic<std::uint64_t>* word) const {
  const auto* begin = reinterpret_cast<const std::byte*>(&own());
  const std::uint64_t replica = places_[member].replicas + me_ * sizeof(TeamScratch);
  const auto place = [&](const void* in_scratch) {
    return replica + static_cast<std::uint64_t>(static_cast<const std::byte*>(in_scratch) - begin);
  };
  Update update;
  update.bytes = written.bytes;
  if (!written.bytes.empty()) update.offset = place(written.place);
  if (word != nullptr) {
    update.word_offset = place(word);
    update.word = word->load(std::memory_order_relaxed);
  }
  with_.remote->send_update(ranks_[member], update);
}

}  // namespace gondwana
