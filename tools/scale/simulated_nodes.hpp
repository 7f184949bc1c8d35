// The other nodes of a job in which rank 0 is an engine, alone on node 0, and all other ranks are
// simulated. This class replaces the agent of node 0, which carries the messages of its rank.
//
// The other ranks do what rank 0 does, because all ranks of a job make the same calls:
// - A read returns what lies at that place in the arena of rank 0.
// - If rank 0 sends an atomic operation, a store or an update to a rank, a rank sends the same one
//   to rank 0. In a barrier of ranks it is the rank at the same distance on the other side; in an
//   exchange of all nodes it is the same rank.
//
// Nothing is delivered before rank 0 waits. Then all that it has sent is delivered: one step.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "figures.hpp"
#include "memory/node_memory.hpp"
#include "remote/protocol.hpp"
#include "sync/record_ring.hpp"

namespace gondwana::scale {

class SimulatedNodes {
 public:
  // `memory` has the contacts of all nodes and must outlive this object.
  SimulatedNodes(const NodeMemory& memory, std::uint64_t tag);

  // Takes the messages that rank 0 has sent.
  void take();
  // Called when rank 0 waits. Returns true if something arrived.
  bool deliver();
  bool has_something() const { return !sent_.empty() || !arriving_.empty(); }

  // Returns the counts since the last call, and frees the memory that messages took.
  Sent reset();
  std::uint64_t connections() const;
  // Messages that this class does not know. If there are any, the figures are wrong.
  std::uint64_t unknown() const { return unknown_; }

 private:
  using Record = std::vector<std::byte>;
  struct Message {
    std::uint32_t node;
    Record bytes;
  };

  void keep(std::uint32_t node, Bytes bytes);
  void take_from_slot(BatchSlot& slot);
  void answer(const Message& message);
  void execute(const remote::ReceivedBatch& batch, const NodePlan& plan);
  void execute(const remote::ReceivedRequest& request, Record& results);
  void reply(remote::Reply reply, Bytes results);
  void echo(const remote::ReceivedMessage& message, Rank from, std::uint32_t node);
  std::byte* place(std::uint64_t offset) const { return memory_.window(Rank(0)) + offset; }
  NodePlan plan_of(std::uint32_t node) const;

  const NodeMemory& memory_;
  std::uint64_t tag_;
  RecordReader from_rank_;
  RecordWriter to_rank_;
  std::deque<Message> sent_;
  std::deque<Record> arriving_;
  std::vector<std::uint32_t> messages_;  // messages for rank 0, by node
  std::vector<bool> is_connected_;       // by node
  Sent traffic_;
  std::uint64_t unknown_ = 0;
};

}  // namespace gondwana::scale
