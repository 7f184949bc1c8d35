#include "engine/collectives/staged/reduction.hpp"

#include <cstring>

#include "engine/collectives/staged/copy_for_others.hpp"

namespace gondwana::staged {
namespace {

// Reading a member's own contribution from the source is fastest, unless it is overwritten first.
template <typename TermOf>
void combine(const Reduction& what, const Round& round, const TermOf& term_of) {
  const bool from_source = reads_source(what, round.size());
  what.operation.fold(what.dest, round.size(), what.count,
                      [&](std::uint32_t member) -> const std::byte* {
                        return member == round.me() && from_source ? what.source : term_of(member);
                      });
}

}  // namespace

void SmallReduction::lay(const Round& round) const {
  const Payloads payloads(round, what_.size(), what_.operation.width());
  copy_for_others(payloads.of(round.me()), what_.source, what_.size());
}

StagedTeam::Written SmallReduction::written(const Round& round, std::uint32_t /*member*/) const {
  return Payloads(round, what_.size(), what_.operation.width()).written(what_.size());
}

void SmallReduction::take(const Round& round) const {
  const Payloads payloads(round, what_.size(), what_.operation.width());
  combine(what_, round, [&](std::uint32_t member) { return payloads.of(member); });
}

void PushedReduction::lay(const Round& round) const {
  if (!reads_source(what_, round.size()))
    std::memcpy(round.pushed(round.me()), what_.source, what_.size());
}

StagedTeam::Written PushedReduction::written(const Round& round, std::uint32_t /*member*/) const {
  return {round.pushed(round.me()), {what_.source, what_.size()}};
}

void PushedReduction::take(const Round& round) const {
  combine(what_, round, [&](std::uint32_t member) { return round.pushed(member); });
}

}  // namespace gondwana::staged
