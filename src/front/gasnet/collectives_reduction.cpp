#include "front/gasnet/collectives_reduction.hpp"

#include "front/gasnet/collectives_copy.hpp"
#include "front/gasnet/collectives_large_reduction.hpp"

namespace gondwana::gasnet {
namespace {

// Up to here it takes less time that each member combines everything than that all meet thrice.
bool is_small(const Reduction& what, std::uint32_t members) {
  constexpr std::size_t always = 2048;
  constexpr std::size_t of_all = std::size_t{32} * 1024;
  return what.size() <= always ||
         (what.size() <= CollectiveLayout::small_size && what.size() * members <= of_all);
}

}  // namespace

void SmallReduction::lay(const Round& round) const {
  const Payloads payloads(round, what_.size(), what_.operation.width());
  copy_for_others(payloads.of(round.rank()), what_.source, what_.size());
  payloads.lay(what_.size(), what_.flow);
}

void SmallReduction::take(const Round& round) const {
  const Payloads payloads(round, what_.size(), what_.operation.width());
  // The own term is nearest in the source, if that is not overwritten before it is read.
  const bool from_source =
      what_.dest != what_.source || (round.size() == 2 && what_.operation.may_replace_term());
  what_.operation.fold(
      what_.dest, round.size(), what_.count, [&](std::uint32_t member) -> const std::byte* {
        return member == round.rank() && from_source ? what_.source : payloads.of(member);
      });
}

gex_Event_t begin_reduction(Team& team, CallName call, const Reduction& what) {
  if (is_small(what, team.size))
    return begin(*team.door, OneRound<SmallReduction>(team, call, SmallReduction(what)));
  if (team.size == 2) return begin(*team.door, WholeReduction(team, call, what));
  return begin(*team.door, PartsReduction(team, call, what));
}

}  // namespace gondwana::gasnet
