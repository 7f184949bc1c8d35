// Under foreign launchers no guardian watches the ranks, and on one node no agent does. There the
// waiting ranks watch each other. NeighborChecks makes the decisions.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "memory/node_memory.hpp"
#include "process/neighbor_checks.hpp"

namespace gondwana {

class NeighborWatch {
 public:
  NeighborWatch(std::shared_ptr<NodeMemory> memory, Rank me)
      : memory_(std::move(memory)), me_(me) {}

  // Called by a waiting rank, at any frequency, from any thread. Returns the reason why the job
  // cannot continue, once it is known.
  std::optional<Error> check();

 private:
  NeighborEvent perform(const NeighborStep& step, NodeSnapshot& node) const;
  std::optional<std::string> find_neighbor_loss() const;

  std::shared_ptr<NodeMemory> memory_;
  Rank me_;
  std::mutex turn_;  // held by the thread that checks; guards the checks
  NeighborChecks checks_;
};

}  // namespace gondwana
