// A set of ranks that act together.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/types.hpp"
#include "engine/rma/reach.hpp"
#include "engine/teams/members.hpp"
#include "memory/death_list.hpp"
#include "memory/node_memory.hpp"
#include "sync/grouped_sync.hpp"
#include "sync/team_sync.hpp"

namespace gondwana {

class StagedCollectives;

// One thread at a time calls collectives on a team and owns its state.
struct Team : Members {
  // `me`: this rank's index in the team.
  Team(std::uint32_t its_number, Members members, std::uint32_t own_member)
      : Members(std::move(members)), number(its_number), me(own_member) {}

  std::uint32_t number;  // the same on all members; identifies its sync lines
  std::uint32_t me;
  Epoch epoch = 0;                 // the last epoch that this rank has begun
  std::uint32_t scratch_uses = 0;  // uses of the scratch so far; selects the half in use
  // For a set that is not a team: the offset of its flags in every arena. The set has no lines or
  // scratch. 0: a team, whose number determines the offset of its flags.
  std::size_t own_flags = 0;
  std::uint64_t shrinks = 0;  // grows with each shrink; no former team with this number exceeded it
  bool serves_set = false;    // the team was made for an active set
  // The number of changes (DeathList) before the team was made: all members lived then.
  std::uint32_t made_at = 0;
  // The state of LevelCollectives, if members are on several nodes.
  std::shared_ptr<StagedCollectives> levels = nullptr;
};

// The members of a team, as TeamSync sees them.
class NodeTeam {
 public:
  NodeTeam(const NodeMemory& memory, const Team& team)
      : memory_(&memory),
        team_(&team),
        first_(index(memory.roster().rank_in(0))),
        lines_(&memory.line(team.number, memory.roster().rank_in(0))) {}
  std::uint32_t size() const { return team_->size; }
  SyncLine<RealAtomics>& line(std::uint32_t member) const {
    return lines_[team_->number_of(member) - first_];
  }
  Doorbell<RealAtomics>& doorbell(std::uint32_t member) const {
    return memory_->page(team_->rank_of(member)).sync_bell;
  }

 private:
  const NodeMemory* memory_;
  const Team* team_;
  std::uint32_t first_;           // of the node
  SyncLine<RealAtomics>* lines_;  // by slot, contiguous
};

// Whether a member has died since the team was made. A process that has taken its place is no
// member.
inline bool has_dead(const DeathList& deaths, const Team& team) {
  for (std::uint32_t member = 0; member < team.size; ++member)
    if (deaths.place_of(team.rank_of(member)) > team.made_at) return true;
  return false;
}

// Whether loads and stores reach all members.
inline bool is_within(const Reach& reach, const Members& team) {
  const auto [one, other] = team.ends();
  return reach.covers_between(Rank(one), Rank(other));
}

using NodeSync = TeamSync<RealAtomics, NodeTeam>;
using GroupedNodeSync = GroupedSync<RealAtomics, NodeTeam>;

}  // namespace gondwana
