// A set of ranks that act together: every `stride`-th rank from `first` on.
#pragma once

#include <cstdint>
#include <optional>

#include "core/team_sync.hpp"
#include "core/types.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

struct Team {
  std::uint32_t number;  // the same on all members: names its sync lines
  std::uint32_t first;
  std::uint32_t stride;
  std::uint32_t size;
  std::uint32_t me;              // this rank's index in the team
  Epoch epoch = 0;               // the last epoch that this rank has begun
  std::uint32_t reductions = 0;  // how many it has begun: names the half of the scratch in use

  Rank rank_of(std::uint32_t member) const { return Rank(first + member * stride); }

  std::optional<std::uint32_t> member_of(Rank rank) const {
    const std::uint32_t distance = index(rank) - first;  // wraps for lower ranks: then out of range
    if (distance % stride != 0 || distance / stride >= size) return std::nullopt;
    return distance / stride;
  }
};

// The members of a team as TeamSync sees them.
class NodeTeam {
 public:
  NodeTeam(const NodeMemory& memory, const Team& team)
      : memory_(&memory), team_(&team), lines_(&memory.line(team.number, 0)) {}
  std::uint32_t size() const { return team_->size; }
  SyncLine<RealAtomics>& line(std::uint32_t member) const { return lines_[member]; }
  Doorbell<RealAtomics>& doorbell(std::uint32_t member) const {
    return memory_->page(team_->rank_of(member)).sync_bell;
  }

 private:
  const NodeMemory* memory_;
  const Team* team_;
  SyncLine<RealAtomics>* lines_;  // one per member, side by side
};

using NodeSync = TeamSync<RealAtomics, NodeTeam>;

}  // namespace gondwana
