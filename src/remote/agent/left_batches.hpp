// Sends the batches that ranks of a node leave open, because a rank that computes makes no calls. A
// rank that leaves a batch open rings the bell, unless the agent checks batches regularly, as it
// does for a while after the last open batch.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "remote/agent/outbox.hpp"

namespace gondwana::remote {

class LeftBatches {
 public:
  struct Handlers {
    std::function<void(Bytes)> on_own;              // a batch for this agent
    std::function<void(std::uint32_t)> on_cut_off;  // called with a node
  };

  // `memory` and `outbox` must outlive the object.
  LeftBatches(const NodeMemory& memory, Outbox& outbox, Handlers handlers)
      : memory_(memory), outbox_(outbox), handlers_(std::move(handlers)) {
    seen_.resize(memory.roster().slots());
  }

  void check(std::uint64_t now_ns);
  // False: some batches wait for the network.
  bool send_taken();
  // Sends a taken batch. False: the network is busy. Batches to a node that is gone are dropped.
  bool send(BatchSlot& slot);

  std::size_t waiting() const { return taken_.size(); }
  // The time until the next check.
  std::chrono::nanoseconds longest_sleep(std::uint64_t now_ns) const;
  // Batches for nodes that do not exist.
  std::uint64_t misdirected() const { return misdirected_; }

 private:
  bool check_each();
  void check_batch(Rank rank, std::size_t number);
  bool has_open() const;

  const NodeMemory& memory_;
  Outbox& outbox_;
  Handlers handlers_;
  // By slot of the node: the last generation of each batch that a check found open.
  std::vector<std::array<std::uint64_t, BatchPlace::count>> seen_;
  std::vector<BatchSlot*> taken_;  // taken, waiting for the network
  std::uint64_t next_check_ns_ = 0;
  std::uint64_t last_open_ns_ = 0;
  std::uint64_t misdirected_ = 0;
};

}  // namespace gondwana::remote
