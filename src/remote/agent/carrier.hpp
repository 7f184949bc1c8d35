// Carries the messages of ranks without endpoints of their own, to and from the agents of other
// nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "memory/death_list.hpp"
#include "remote/agent/outbox.hpp"
#include "sync/doorbell.hpp"
#include "sync/record_ring.hpp"

namespace gondwana::remote {

class Carrier {
 public:
  struct Handlers {
    std::function<void(Bytes)> on_own;              // a message for this agent
    std::function<bool(BatchSlot&)> send_batch;     // false: the network is busy
    std::function<void(std::uint32_t)> on_cut_off;  // called with a node
  };

  // Starts idle. `memory` and `outbox` must outlive the object.
  Carrier(const NodeMemory& memory, Outbox& outbox, Handlers handlers)
      : memory_(memory), outbox_(outbox), handlers_(std::move(handlers)), deaths_(memory) {}

  void begin();
  bool is_on() const { return !ranks_.empty(); }

  // True if any message was found.
  bool carry();
  // Delivers to a rank of this node, in order. The packet may wait for space.
  void deliver(Rank to, Bytes packet);
  // Wakes the ranks that received packets.
  void ring();

  // Whether messages would be lost if the agent ended now.
  bool has_messages() const;
  // Returns milliseconds. After this call, ranks ring the bell. Earlier messages shorten the sleep.
  int longest_sleep();
  // Messages to ranks or nodes that do not exist.
  std::uint64_t misdirected() const { return misdirected_; }

 private:
  struct Carried {
    RecordReader from_rank;
    RecordWriter to_rank;
    Doorbell<RealAtomics>& bell;
    std::deque<std::vector<std::byte>> waiting = {};  // packets that wait for space
    bool has_news = false;
  };

  bool pass_on(std::uint32_t slot, const RecordReader::Record& message);
  static bool hand_over(Carried& rank, Bytes packet);
  static void deliver_waiting(Carried& rank);

  const NodeMemory& memory_;
  Outbox& outbox_;
  Handlers handlers_;
  DeathList deaths_;
  std::vector<Carried> ranks_;  // by slot; empty if ranks have endpoints
  bool is_blocked_ = false;     // a message waits for the network
  std::uint64_t misdirected_ = 0;
};

}  // namespace gondwana::remote
