// The messages that arrive at a rank: answers to its requests, and messages of other ranks.
//
// The thread that has the turn uses it.
#pragma once

#include <cstdint>

#include "memory/node_plan.hpp"
#include "remote/client/message_queue.hpp"
#include "remote/client/sent_messages.hpp"
#include "remote/client/streams.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {

class Arrivals {
 public:
  Arrivals(Streams& streams, SentMessages& sent, const NodePlan& plan, Rank me)
      : streams_(streams), sent_(sent), plan_(plan), me_(me) {}

  MessageQueue& queue() { return queue_; }
  void take(Bytes bytes);
  // The number of messages that do not belong to this job or are malformed.
  std::uint64_t refused() const { return refused_; }

 private:
  bool take_message(const ReceivedMessage& message);
  bool take_messages(const ReceivedBatch& received);
  bool take_reply(const ReceivedReply& reply);

  Streams& streams_;
  SentMessages& sent_;
  const NodePlan& plan_;
  Rank me_;
  MessageQueue queue_;
  std::uint64_t refused_ = 0;
};

}  // namespace gondwana::remote
