// The operations that a rank's own endpoint has in flight: writes, reads, and messages whose copies
// wait for the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/completion.hpp"
#include "core/pool.hpp"
#include "core/types.hpp"
#include "memory/control_page.hpp"
#include "network/endpoint.hpp"

namespace gondwana::remote {

class InFlight {
 public:
  struct Operation : network::Operation {
    Completion* done = nullptr;  // null: nothing is in flight, or its node is lost
    std::uint32_t node = 0;
    std::optional<Rank> rank;               // the receiver of a message, unless it is the agent
    network::Peer peer = network::no_peer;  // of that rank
    bool is_transfer = false;               // write or read
    bool is_write = false;
    bool is_optional = false;        // a message whose failure is no loss
    std::vector<std::byte> message;  // keeps its capacity
    std::size_t size = 0;            // bytes of `message`; 0 if optional
  };

  explicit InFlight(Traffic& traffic) : traffic_(traffic) {}

  bool has_writes() const { return writes_ > 0; }
  // Optional messages do not count.
  bool has_messages() const { return leaving_ > 0; }
  // Copies keep their memory, which may be registered. Messages beyond the limit wait with their
  // sender. One message is always allowed.
  bool has_room(std::size_t size) const { return leaving_ == 0 || leaving_ + size <= max_leaving; }

  // Takes an operation for an attempt to post it. If the attempt fails, the caller gives it back.
  Operation& take(Completion& done, std::uint32_t node);
  void give_back(Operation& operation);
  void begin_message(Operation& operation, std::size_t size);
  void begin_transfer(Operation& operation, bool is_write);
  void end(Operation& operation);
  // Null: it belongs to none of these.
  Operation* find(const network::Operation* operation) { return operations_.find(operation); }

  // Fails the transfers of a lost node. The network keeps the operations until it gives up. Until
  // then their messages, and the slots of these, stay in use.
  void abandon(std::uint32_t node, const Error& loss);

 private:
  static constexpr std::size_t max_leaving = std::size_t{4} * 1024 * 1024;

  Traffic& traffic_;
  Pool<Operation> operations_;
  std::uint32_t writes_ = 0;
  std::size_t leaving_ = 0;  // bytes of messages that have not left
};

}  // namespace gondwana::remote
