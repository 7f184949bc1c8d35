// The scratch of one rank for the teams it is a member of. In a job on several nodes it has two for
// each: for the members of its node, and for the leaders of nodes; and replicas of what other
// leaders have.
//
// Scratch is kept when a team is gone, for later ones: a member that still waits for the last
// barrier of the old team looks at a line that only ever moves forward.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "engine/collectives/staged/staged_team.hpp"

namespace gondwana {

class ScratchSpace {
 public:
  explicit ScratchSpace(const CollectiveResources& with) : with_(with) {}

  // Nothing where no memory is left.
  std::optional<StagedPlace> take();
  void give_back(const StagedPlace& place);
  // What a team takes of the arena.
  std::size_t size_of_place() const;
  // Where the replicas of a place are; none in a job on one node.
  MutableBytes replicas(const StagedPlace& place) const;

 private:
  bool is_on_one_node() const { return with_.rma.reaches_all(); }
  // As many as there are nodes, or ranks that reach nobody.
  std::size_t size_of_replicas() const;
  TeamScratch& at(std::uint64_t offset) const;
  std::optional<std::uint64_t> allocate(std::size_t size);

  const CollectiveResources& with_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::uint64_t> spare_;
};

}  // namespace gondwana
