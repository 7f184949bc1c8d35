// The other nodes of a job in which rank 0, alone on node 0, is an engine and all other ranks are
// simulated. It takes the place of the agent of node 0, which carries the messages of its rank.
//
// The other ranks do what rank 0 does, because all ranks of a job call the same. So
//   - a read returns what lies at that place in the arena of rank 0;
//   - to an atomic operation, a store or an update that rank 0 sends to a rank, a rank answers with
//     the same one to rank 0. It is the rank at the same distance on the other side in a barrier of
//     ranks, and the same one in an exchange of all nodes.
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
  // The memory has the infos of all nodes and must outlive this.
  SimulatedNodes(const NodeMemory& memory, std::uint64_t tag);

  // Takes the messages that rank 0 has sent.
  void take();
  // Rank 0 waits. True: something arrived.
  bool deliver();
  bool has_something() const { return !sent_.empty() || !arriving_.empty(); }

  // Since the last call. Gives back the memory that messages took.
  Sent reset();
  std::uint64_t connections() const;
  // Messages that this class does not know: figures would be wrong.
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
  std::vector<std::uint32_t> messages_;  // that rank 0 got, by node
  std::vector<bool> is_connected_;       // by node
  Sent traffic_;
  std::uint64_t unknown_ = 0;
};

}  // namespace gondwana::scale
