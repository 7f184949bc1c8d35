// Messages of other ranks on its way to the receiver of this one: in the order of its senders,
// whatever order the network delivers large and small messages in, and kept while nobody listens.
#pragma once

#include <cstdint>
#include <map>

#include "remote/in_order.hpp"
#include "remote/protocol.hpp"
#include "remote/transport.hpp"

namespace gondwana::remote {

class MessageQueue {
 public:
  void listen(MessageReceiver receiver);
  // Hands it over, or keeps a copy. False: it has come before.
  bool take(const ReceivedMessage& message);
  // Hands over what was kept while nobody listened; true where there was any.
  bool deliver();

 private:
  bool deliver_kept(Rank sender, InOrder& order);

  std::map<std::uint32_t, InOrder> senders_;  // by rank; of those that wrote
  MessageReceiver receiver_;
  bool is_new_ = false;  // the receiver
};

}  // namespace gondwana::remote
