#include "engine/collectives/staged/reduction.hpp"

#include <cstring>

#include "engine/collectives/staged/copy_for_others.hpp"

namespace gondwana::staged {

void SmallReduction::lay(const Round& round) const {
  const Payloads payloads(round, what_.size(), what_.operation.width());
  copy_for_others(payloads.of(round.me()), what_.source, what_.size());
}

StagedTeam::Written SmallReduction::written(const Round& round, std::uint32_t /*member*/) const {
  return Payloads(round, what_.size(), what_.operation.width()).written(what_.size());
}

void SmallReduction::take(const Round& round) const {
  const Payloads payloads(round, what_.size(), what_.operation.width());
  // Reading its own term from the source is fastest, unless it is overwritten first.
  const bool from_source = reads_source(what_, round.size());
  what_.operation.fold(
      what_.dest, round.size(), what_.count, [&](std::uint32_t member) -> const std::byte* {
        return member == round.me() && from_source ? what_.source : payloads.of(member);
      });
}

void PushedReduction::lay(const Round& round) const {
  if (!reads_source(what_, round.size()))
    std::memcpy(round.pushed(round.me()), what_.source, what_.size());
}

StagedTeam::Written PushedReduction::written(const Round& round, std::uint32_t /*member*/) const {
  return {round.pushed(round.me()), {what_.source, what_.size()}};
}

void PushedReduction::take(const Round& round) const {
  const bool from_source = reads_source(what_, round.size());
  what_.operation.fold(
      what_.dest, round.size(), what_.count, [&](std::uint32_t member) -> const std::byte* {
        return member == round.me() && from_source ? what_.source : round.pushed(member);
      });
}

}  // namespace gondwana::staged
