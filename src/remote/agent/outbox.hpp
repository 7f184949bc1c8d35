// The sending side of a node agent: its endpoint, the processes that it communicates with, and the
// messages that have not left. The bytes that wait for the network are limited: to one process, and
// in total.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/function_ref.hpp"
#include "core/pool.hpp"
#include "memory/node_memory.hpp"
#include "network/endpoint.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {

// A message in flight to a process, by its number.
struct SendBuffer : network::Operation {
  std::uint32_t to = 0;
  std::size_t size = 0;
  bool is_carried = false;       // sent on behalf of a rank of this node
  BatchSlot* slot = nullptr;     // the message is in this slot, which is cleared afterwards
  std::vector<std::byte> bytes;  // used without a slot; keeps its capacity

  Bytes message() const {
    return slot != nullptr ? Bytes(slot->bytes).first(size) : Bytes(bytes).first(size);
  }
};

class Outbox {
 public:
  Outbox(std::shared_ptr<NodeMemory> memory, std::uint64_t tag,
         std::unique_ptr<network::Endpoint> endpoint)
      : memory_(std::move(memory)), tag_(tag), endpoint_(std::move(endpoint)) {}

  network::Endpoint& endpoint() const { return *endpoint_; }

  // Processes, by number. Messages to a process use the address of its last meet().
  Result<void> meet(std::uint32_t process, Bytes address);
  bool has_met(std::uint32_t process) const;
  // Whether this agent and the node's agent have communicated.
  bool has_met_agent(std::uint32_t node) const;

  // Bytes that wait for the network.
  std::size_t leaving() const { return leaving_; }
  bool is_leaving(std::uint32_t process) const;
  // Messages to other agents do not count, because they may never leave if a node is gone.
  bool is_leaving_to_ranks() const;
  bool is_carrying() const { return carrying_ > 0; }

  // Sends to a process that has been met. Busy: the limits are reached.
  Result<Posted> inject(std::uint32_t process, Bytes message);
  Result<Posted> send(std::uint32_t process, Bytes message);
  // `write` is called with space for `size` bytes, unless the limits are reached.
  Result<Posted> send(std::uint32_t process, std::size_t size, FunctionRef<void(std::byte*)> write);
  // Sends a message of a rank of this node to the agent of another node. With a slot, the message
  // is in the slot, which is cleared when the message has left.
  Result<Posted> send_on(std::uint32_t node, Bytes message, BatchSlot* slot = nullptr);
  // Sends to the agent of another node. False: no connection yet, or the network is busy.
  bool tell(std::uint32_t node, Control control, Bytes payload = {});

  // An operation of the endpoint has completed or failed.
  void on_sent(SendBuffer& buffer);
  // Null: not one of these messages.
  SendBuffer* find(const network::Operation* operation) { return buffers_.find(operation); }

 private:
  struct Process {
    network::Peer peer = network::no_peer;
    std::size_t leaving = 0;
  };

  Result<network::Peer> agent_of(std::uint32_t node);
  bool has_room(const Process& process, std::size_t size) const;
  SendBuffer& take(std::uint32_t to, std::size_t size, BatchSlot* slot = nullptr);
  Result<Posted> post(network::Peer peer, SendBuffer& buffer);

  std::shared_ptr<NodeMemory> memory_;
  std::uint64_t tag_;
  std::unordered_map<std::uint32_t, Process> processes_;
  std::map<std::uint32_t, network::Peer> agents_;  // by node
  Pool<SendBuffer> buffers_;
  std::size_t leaving_ = 0;          // bytes of buffers in flight
  std::size_t carrying_ = 0;         // carried buffers in flight
  std::vector<std::byte> injected_;  // buffer for one message
  std::unique_ptr<network::Endpoint>
      endpoint_;  // last: must be closed before the buffers are freed
};

}  // namespace gondwana::remote
