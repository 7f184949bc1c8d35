// The scratch of one rank for the teams it is a member of.
//
// Scratch is kept when a team is gone, for later ones: a member that still waits for the last
// barrier of the old team looks at a line that only ever moves forward.
#pragma once

#include <mutex>
#include <vector>

#include "engine/collectives/staged/staged_team.hpp"

namespace gondwana {

class ScratchSpace {
 public:
  explicit ScratchSpace(const StagedResources& with) : with_(with) {}

  // For a team of so many members at most.
  StagedPlace take(std::uint32_t members, CallName call);
  void give_back(const StagedPlace& place, std::uint32_t members);
  // Where the replicas of a place are; none in a job on one node.
  MutableBytes replicas(const StagedPlace& place, std::uint32_t members) const;

 private:
  TeamScratch& at(std::uint64_t offset) const;
  std::uint64_t allocate(std::size_t size, CallName call);

  const StagedResources& with_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::uint64_t> spare_;
};

}  // namespace gondwana
