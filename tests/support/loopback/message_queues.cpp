#include "support/loopback/message_queues.hpp"

#include <utility>

namespace gondwana {

bool MessageQueues::post(Rank from, Rank to, Bytes head, Bytes body) {
  Message message{from, {head.begin(), head.end()}};
  message.bytes.insert(message.bytes.end(), body.begin(), body.end());
  Box& box = boxes_[index(to)];
  const std::scoped_lock lock(box.mutex);
  if (box.messages.size() >= room) return false;
  box.messages.push_back(std::move(message));
  return true;
}

std::optional<MessageQueues::Message> MessageQueues::take(Rank owner) {
  Box& box = boxes_[index(owner)];
  const std::scoped_lock lock(box.mutex);
  if (box.messages.empty()) return std::nullopt;
  std::optional<Message> first(std::move(box.messages.front()));
  box.messages.pop_front();
  return first;
}

}  // namespace gondwana
