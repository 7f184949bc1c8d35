#include "run/remote/agreements.hpp"

#include <algorithm>

namespace gondwana::launch {

std::optional<Shrunk> Agreements::enter(const ShrinkEntry& entry) {
  Shrink& shrink = shrinks_[{entry.team, entry.first}];
  if (entry.turn < shrink.decision.turn) return std::nullopt;
  if (entry.turn > shrink.decision.turn)
    shrink = {.decision = {.team = entry.team,
                           .first = entry.first,
                           .turn = entry.turn,
                           .numbers = ~std::uint64_t{0}},
              .entered = {}};
  if (shrink.is_decided) return std::nullopt;
  if (shrink.entered.insert(entry.rank).second) {
    shrink.decision.numbers &= entry.numbers;
    shrink.decision.epoch = std::max(shrink.decision.epoch, entry.epoch);
  }
  return decide(shrink, entry);
}

// A member that does not know of the death of another one counts too few, and enters again.
std::optional<Shrunk> Agreements::decide(Shrink& shrink, const ShrinkEntry& last) {
  std::vector<std::uint32_t> living(shrink.entered.begin(), shrink.entered.end());
  if (living.size() + last.dead < last.size) return std::nullopt;
  shrink.is_decided = true;
  shrink.entered.clear();
  shrink.decision.deaths = last.deaths;
  return Shrunk{shrink.decision, std::move(living)};
}

// The process that takes its place is in none of its teams.
void Agreements::die(std::uint32_t rank) {
  for (auto& [key, shrink] : shrinks_) shrink.entered.erase(rank);
}

}  // namespace gondwana::launch
