// The collectives of a team, as steps. They have one level if loads and stores reach all members,
// and two levels if members are on several nodes.
//
// Every member calls them in the same order and advances its steps until they are complete. `use`
// is called once, with the step; its result is returned.
#pragma once

#include <memory>
#include <vector>

#include "engine/collectives/staged/chain.hpp"
#include "engine/collectives/staged/large_reduction.hpp"
#include "engine/collectives/staged/levels.hpp"

namespace gondwana {

class StagedCollectives {
 public:
  struct Setup {
    std::vector<Rank> ranks;
    std::vector<std::uint32_t> nodes;  // by member: a number that identifies its node
    std::vector<StagedPlace> places;
    std::uint32_t me = 0;
    MutableBytes replicas;           // of this member
    StagedTeam::OffsetOf offset_of;  // for memory that is not symmetric; may be empty
  };

  StagedCollectives(const CollectiveResources& with, const Setup& setup);

  bool has_levels() const { return levels_ != nullptr; }
  const CollectiveResources& with() const { return with_; }
  // All members of a team without levels.
  StagedTeam& members() { return *members_; }
  // A word of this member that no put of a program writes.
  const void* own_word() const {
    return &(has_levels() ? levels_->node() : *members_).own().finished;
  }

  template <typename Use>
  auto move(CallName call, const staged::Movement& what, const Use& use) {
    if (!has_levels()) return with_step(members(), call, what, use);
    return use(levels_->move(call, what));
  }
  template <typename Use>
  auto reduce(CallName call, const staged::Reduction& what, const Use& use) {
    if (!has_levels()) return with_step(members(), call, what, use);
    return use(levels_->reduce(call, what));
  }
  // Completes when all members have begun their steps.
  template <typename Use>
  auto meet(CallName call, const Use& use) {
    if (!has_levels()) return use(staged::OneRound(members(), staged::EmptyRound()));
    return use(levels_->meet(call));
  }
  // A barrier that this member enters at once. Entered barriers complete in order.
  template <typename Use>
  auto enter(const Use& use) {
    return enter(staged::LevelBarrier::Teller::last, use);
  }
  // The team's last barrier. Afterwards no member reads its memory and no message for it arrives.
  template <typename Use>
  auto enter_last(const Use& use) {
    return enter(staged::LevelBarrier::Teller::leader, use);
  }

 private:
  template <typename Use>
  auto enter(staged::LevelBarrier::Teller teller, const Use& use) {
    if (!has_levels()) return use(staged::EnteredBarrier(members()));
    return use(levels_->enter(teller));
  }

  const CollectiveResources& with_;
  std::unique_ptr<StagedTeam> members_;  // null if there are levels
  std::unique_ptr<staged::Levels> levels_;
};

}  // namespace gondwana
