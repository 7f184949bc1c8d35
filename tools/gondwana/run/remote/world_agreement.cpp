#include "run/remote/world_agreement.hpp"

namespace gondwana::launch {

std::optional<WorldDecision> WorldAgreement::enter(const WorldEntry& entry) {
  if (entry.rank >= size_ || dead_.contains(entry.rank)) return std::nullopt;
  entered_.insert_or_assign(entry.rank, NumberOffer{entry.numbers, entry.epoch});
  return decide();
}

std::optional<WorldDecision> WorldAgreement::die(std::uint32_t rank, std::uint32_t changes) {
  deaths_ = changes;
  dead_.insert(rank);
  entered_.erase(rank);
  return decide();
}

void WorldAgreement::replace(std::uint32_t rank, std::uint32_t changes) {
  deaths_ = changes;
  entered_.erase(rank);
}

std::optional<WorldDecision> WorldAgreement::decide() {
  if (entered_.empty() || entered_.size() + dead_.size() < size_) return std::nullopt;
  NumberOffer all = any_number;
  for (const auto& [rank, offer] : entered_) all.restrict_to(offer);
  entered_.clear();
  return WorldDecision{.turn = ++turn_,
                       .size = size_,
                       .deaths = deaths_,
                       .numbers = all.numbers,
                       .epoch = all.epoch};
}

}  // namespace gondwana::launch
