// Messages of other ranks on their way to this rank's receiver. It gets them in each sender's
// order, even if the network reorders large and small ones. They are kept until a receiver listens.
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
  // Delivers the message or keeps a copy. False: it has come before.
  bool take(const ReceivedMessage& message);
  // Delivers messages that came before the receiver listened; true if there were any.
  bool deliver();

 private:
  bool deliver_kept(Rank sender, InOrder& order);

  std::map<std::uint32_t, InOrder> senders_;  // by sending rank
  MessageReceiver receiver_;
  bool is_new_ = false;  // the receiver
};

}  // namespace gondwana::remote
