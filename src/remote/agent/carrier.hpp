// Carries the messages of the ranks of a node that have no endpoints of their own: to the agents of
// other nodes, and from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "remote/agent/outbox.hpp"
#include "sync/doorbell.hpp"
#include "sync/record_ring.hpp"

namespace gondwana::remote {

class Carrier {
 public:
  struct Handlers {
    std::function<void(Bytes)> on_own;              // a message for this agent
    std::function<bool(BatchSlot&)> send_batch;     // false: there is no room now
    std::function<void(std::uint32_t)> on_cut_off;  // a node
  };

  // Carries nothing. Both must outlive it.
  Carrier(const NodeMemory& memory, Outbox& outbox, Handlers handlers)
      : memory_(memory), outbox_(outbox), handlers_(std::move(handlers)) {}

  void begin();
  bool is_on() const { return !ranks_.empty(); }

  // True if anything was found.
  bool carry();
  // To a rank of this node. It keeps its order, and may wait for room.
  void deliver(Rank to, Bytes packet);
  // Wakes the ranks that something was delivered to.
  void ring();

  // Whether messages would be lost if the agent ended now.
  bool has_messages() const;
  // In milliseconds. From here on ranks ring the bell; messages written before are found here.
  int longest_sleep();
  // Messages to places that do not exist.
  std::uint64_t misdirected() const { return misdirected_; }

 private:
  struct Carried {
    RecordReader from_rank;
    RecordWriter to_rank;
    Doorbell<RealAtomics>& bell;
    std::deque<std::vector<std::byte>> waiting = {};  // packets that wait for room
    bool has_news = false;
  };

  bool pass_on(std::uint32_t slot, const RecordReader::Record& message);
  static bool hand_over(Carried& rank, Bytes packet);
  static void deliver_waiting(Carried& rank);

  const NodeMemory& memory_;
  Outbox& outbox_;
  Handlers handlers_;
  std::vector<Carried> ranks_;  // by slot; empty if ranks have endpoints
  bool is_blocked_ = false;     // a message waits for the network
  std::uint64_t misdirected_ = 0;
};

}  // namespace gondwana::remote
