#include "engine/collectives/staged/reduction.hpp"

#include "engine/collectives/staged/copy_for_others.hpp"

namespace gondwana::staged {

void SmallReduction::lay(const Round& round) const {
  const Payloads payloads(round, what_.size(), what_.operation.width());
  copy_for_others(payloads.of(round.me()), what_.source, what_.size());
  payloads.lay(what_.size(), what_.flow);
}

void SmallReduction::take(const Round& round) const {
  const Payloads payloads(round, what_.size(), what_.operation.width());
  // Reading its own term from the source is fastest, unless it is overwritten first.
  const bool from_source =
      what_.dest != what_.source || (round.size() == 2 && what_.operation.may_replace_term());
  what_.operation.fold(
      what_.dest, round.size(), what_.count, [&](std::uint32_t member) -> const std::byte* {
        return member == round.me() && from_source ? what_.source : payloads.of(member);
      });
}

}  // namespace gondwana::staged
