// Under launchers of others no guardian looks after the ranks, and on one node no agent: the ranks
// that wait there look after each other.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "core/result.hpp"
#include "memory/node_memory.hpp"
#include "memory/stillness.hpp"

namespace gondwana {

class NeighborWatch {
 public:
  NeighborWatch(std::shared_ptr<NodeMemory> memory, Rank me)
      : memory_(std::move(memory)), me_(me) {}

  // By a rank that waits, as often as it likes, from any thread. Why the job cannot go on, once
  // that is known.
  std::optional<Error> look();

 private:
  std::optional<Error> look_for_losses() const;
  std::optional<Error> look_for_deadlock();

  std::shared_ptr<NodeMemory> memory_;
  Rank me_;
  std::mutex turn_;  // of the thread that looks; guards what follows
  std::uint64_t next_ns_ = 0;
  Deadlock deadlock_;
};

}  // namespace gondwana
