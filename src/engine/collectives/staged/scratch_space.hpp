// The scratch of one rank for its teams. In a job on several nodes each team has two: one for the
// members of the node and one for the leaders. It also has replicas of the other leaders' scratch.
//
// Scratch of ended teams is reused. A member may still wait for the last barrier of the old team;
// it polls a line that never moves back.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "engine/collectives/staged/retired_places.hpp"
#include "engine/collectives/staged/staged_team.hpp"

namespace gondwana {

class ScratchSpace {
 public:
  explicit ScratchSpace(const CollectiveResources& with) : with_(with) {}

  // Returns nothing if out of memory.
  std::optional<StagedPlace> take();
  void give_back(const StagedPlace& place);
  // The same, for a team that a death has ended.
  void retire(const StagedPlace& place);
  // Arena bytes that a team needs.
  std::size_t size_of_place() const;
  // The replicas of a StagedPlace; empty in a job on one node.
  MutableBytes replicas(const StagedPlace& place) const;

 private:
  bool is_on_one_node() const { return with_.rma.reaches_all(); }
  // One replica for each node, or for each rank if ranks reach no other.
  std::size_t size_of_replicas() const;
  TeamScratch& at(std::uint64_t offset) const;
  std::optional<std::uint64_t> allocate(std::size_t size);
  void release_retired();

  const CollectiveResources& with_;
  std::mutex mutex_;  // guards the members below
  std::vector<std::uint64_t> spare_;
  RetiredPlaces retired_;
};

}  // namespace gondwana
