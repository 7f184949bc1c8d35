// A barrier of a staged team that this member has entered. Nobody moves it on: what is left is to
// look at the lines of the others.
#pragma once

#include "engine/collectives/staged/staged_team.hpp"

namespace gondwana::staged {

// The lines of the members as TeamSync wants them.
class Lines {
 public:
  explicit Lines(const StagedTeam& team) : team_(&team) {}

  std::uint32_t size() const { return team_->size(); }
  SyncLine<RealAtomics>& line(std::uint32_t member) const { return team_->scratch(member).line; }
  Doorbell<RealAtomics>& doorbell(std::uint32_t member) const {
    constinit static Doorbell<RealAtomics> of_nobody{};
    const NodeMemory& memory = team_->with().memory;
    const Rank rank = team_->rank_of(member);
    return memory.plan().holds(rank) ? memory.page(rank).sync_bell : of_nobody;
  }

 private:
  const StagedTeam* team_;
};

// A value.
class EnteredBarrier {
 public:
  // Enters. In the order of the team's collectives.
  explicit EnteredBarrier(StagedTeam& team);

  // Whether all have entered, and know it without further calls of this member, which may make
  // none for long. Once they have entered it also wakes those who sleep until then.
  bool advance() {
    if (!all_entered()) return false;
    wake_sleepers();
    return true;
  }
  bool all_entered() { return line_.all_reached(epoch_, from_); }
  void wake_sleepers();

 private:
  StagedTeam* team_;
  TeamSync<RealAtomics, Lines> line_;
  Epoch epoch_;
  std::uint32_t from_ = 0;  // the members before this one have entered
};

}  // namespace gondwana::staged
