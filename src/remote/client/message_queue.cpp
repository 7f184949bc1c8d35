#include "remote/client/message_queue.hpp"

#include <utility>

namespace gondwana::remote {

void MessageQueue::listen(MessageReceiver receiver) {
  receiver_ = std::move(receiver);
  is_new_ = true;
}

bool MessageQueue::take(const ReceivedMessage& message) {
  auto& [incarnation, order] = senders_[index(message.from)];
  if (message.incarnation != incarnation || order.is_past(message.number)) return false;
  if (!order.is_next(message.number) || !receiver_ || is_new_)
    return order.keep(message.number, message.bytes);
  order.pass();
  receiver_(message.from, message.bytes);
  deliver_kept(message.from, order);
  return true;
}

bool MessageQueue::deliver() {
  if (!receiver_ || !is_new_) return false;
  is_new_ = false;
  bool any = false;
  for (auto& [rank, sender] : senders_) any |= deliver_kept(Rank(rank), sender.order);
  return any;
}

bool MessageQueue::renew(Rank sender, std::uint32_t incarnation) {
  Sender& known = senders_[index(sender)];
  if (incarnation <= known.incarnation) return false;
  known = {.incarnation = incarnation};
  return true;
}

bool MessageQueue::deliver_kept(Rank sender, InOrder& order) {
  bool any = false;
  while (const auto next = order.pass_kept()) {
    receiver_(sender, *next);
    any = true;
  }
  return any;
}

}  // namespace gondwana::remote
