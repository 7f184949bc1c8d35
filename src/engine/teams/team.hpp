// A set of ranks that act together: `first` and the ranks at equal steps from it, up or down.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/types.hpp"
#include "engine/rma/reach.hpp"
#include "memory/node_memory.hpp"
#include "sync/grouped_sync.hpp"
#include "sync/team_sync.hpp"

namespace gondwana {

// Which members of a parent team form a new one: `start`, `start + stride`, ...
struct TeamShape {
  std::uint32_t start;
  std::int32_t stride;  // negative: in falling order; 0 only for one member
  std::uint32_t size;
};

class StagedCollectives;

// One thread at a time calls collectives on a team and owns its state.
struct Team {
  std::uint32_t number;  // the same on all members; identifies its sync lines
  std::uint32_t first;
  std::int32_t stride;
  std::uint32_t size;
  std::uint32_t me;                // this rank's index in the team
  Epoch epoch = 0;                 // the last epoch that this rank has begun
  std::uint32_t scratch_uses = 0;  // uses of the scratch so far; selects the half in use
  // For a set that is not a team: the offset of its flags in every arena. It has no lines or
  // scratch. 0: a team, whose number gives the place of its flags.
  std::size_t own_flags = 0;
  bool serves_set = false;  // it is the team of a set like that
  // The state of LevelCollectives, if members are on several nodes.
  std::shared_ptr<StagedCollectives> levels = nullptr;

  Rank rank_of(std::uint32_t member) const {
    return Rank(first + static_cast<std::uint32_t>(stride) * member);  // wraps back if it falls
  }

  std::optional<std::uint32_t> member_of(Rank rank) const {
    const std::int64_t distance = std::int64_t{index(rank)} - first;
    if (distance == 0) return 0;
    if (stride == 0 || distance % stride != 0) return std::nullopt;
    const std::int64_t member = distance / stride;
    if (member < 0 || member >= size) return std::nullopt;
    return static_cast<std::uint32_t>(member);
  }
};

// The members of a team as TeamSync sees them.
class NodeTeam {
 public:
  NodeTeam(const NodeMemory& memory, const Team& team)
      : memory_(&memory),
        team_(&team),
        first_(memory.plan().first),
        lines_(&memory.line(team.number, Rank(first_))) {}
  std::uint32_t size() const { return team_->size; }
  SyncLine<RealAtomics>& line(std::uint32_t member) const {
    return lines_[index(team_->rank_of(member)) - first_];
  }
  Doorbell<RealAtomics>& doorbell(std::uint32_t member) const {
    return memory_->page(team_->rank_of(member)).sync_bell;
  }

 private:
  const NodeMemory* memory_;
  const Team* team_;
  std::uint32_t first_;           // rank of the node
  SyncLine<RealAtomics>* lines_;  // one per rank of the node, contiguous
};

// Whether loads and stores reach all members. It checks the first and the last, since the ranks of
// a node are contiguous.
inline bool is_within(const Reach& reach, const Team& team) {
  return reach.covers(team.rank_of(0)) && reach.covers(team.rank_of(team.size - 1));
}

using NodeSync = TeamSync<RealAtomics, NodeTeam>;
using GroupedNodeSync = GroupedSync<RealAtomics, NodeTeam>;

}  // namespace gondwana
