// Under foreign launchers no guardian watches the ranks, and on one node no agent does. There the
// waiting ranks watch each other.
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

  // Called by a waiting rank, at any frequency, from any thread. Returns why the job cannot
  // continue, once that is known.
  std::optional<Error> look();

 private:
  std::optional<Error> check_for_losses() const;
  std::optional<Error> look_for_deadlock();

  std::shared_ptr<NodeMemory> memory_;
  Rank me_;
  std::mutex turn_;  // of the checking thread; guards what follows
  std::uint64_t next_ns_ = 0;
  Deadlock deadlock_;
};

}  // namespace gondwana
