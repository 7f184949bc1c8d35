// A shrink of a team on several nodes, as one member sees it. The launcher of the job decides
// (tools/gondwana/run/remote/agreements.hpp), and the guardian of the node writes the decision into
// the member's ShrinkPlace. See TeamShrink, which has the same functions.
#pragma once

#include <cstdint>

#include "core/function_ref.hpp"
#include "sync/shrink_entry.hpp"
#include "sync/team_shrink.hpp"

namespace gondwana {

template <AtomicsPolicy A, MortalMembers<A> Members>
class ConductedShrink {
 public:
  using Report = FunctionRef<void(const ShrinkEntry&)>;

  // `entry`: the team, the turn and this rank. `report` outlives this object.
  ConductedShrink(Members members, std::uint32_t me, const ShrinkEntry& entry, Report report)
      : members_(members), me_(me), entry_(entry), report_(report) {}

  void enter(const NumberOffer& offer) {
    entry_.numbers = offer.numbers;
    entry_.epoch = offer.epoch;
    report();
  }

  // Returns whether the launcher has decided. Enters again after a death.
  bool decide() {
    const std::uint64_t decided = place().decided.load(std::memory_order_seq_cst);
    const std::uint64_t deaths = decided - shrink_word(entry_.turn, 0);
    if (decided != 0 && deaths >> shrink_deaths_bits == 0) {
      deaths_ = static_cast<std::uint32_t>(deaths);
      return true;
    }
    if (members_.deaths() != entry_.deaths) report();
    return false;
  }

  // These apply once it has decided.
  std::uint32_t deaths() const { return deaths_; }
  bool lives(std::uint32_t member) const { return !is_among(member, deaths_); }
  NumberOffer offered() const { return place().agreed.load(); }

 private:
  ShrinkPlace<A>& place() const { return members_.place(me_); }
  bool is_among(std::uint32_t member, std::uint32_t deaths) const {
    const std::uint32_t death = members_.death_of(member);
    return death != 0 && death <= deaths;
  }
  void report() {
    entry_.deaths = members_.deaths();
    entry_.dead = 0;
    for (std::uint32_t i = 0; i < members_.size(); ++i)
      entry_.dead += is_among(i, entry_.deaths) ? 1 : 0;
    report_(entry_);
  }

  Members members_;
  std::uint32_t me_;
  ShrinkEntry entry_;
  Report report_;
  std::uint32_t deaths_ = 0;
};

}  // namespace gondwana
