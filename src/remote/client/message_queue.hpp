// Messages of other ranks on their way to this rank's receiver. The receiver gets them in each
// sender's order, even if the network reorders large and small ones. They are kept until a receiver
// listens.
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
  // Delivers the message or keeps a copy. False: a duplicate, or its sender was replaced.
  bool take(const ReceivedMessage& message);
  // Delivers messages that arrived before the receiver listened. True if there were any.
  bool deliver();
  // Another process has replaced a sender, and numbers from 1. False: already known.
  bool renew(Rank sender, std::uint32_t incarnation);

 private:
  struct Sender {
    std::uint32_t incarnation = 0;
    InOrder order = {};
  };

  bool deliver_kept(Rank sender, InOrder& order);

  std::map<std::uint32_t, Sender> senders_;  // by sender rank
  MessageReceiver receiver_;
  bool is_new_ = false;  // the receiver was just set
};

}  // namespace gondwana::remote
