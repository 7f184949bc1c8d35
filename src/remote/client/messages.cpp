// Sends messages of a rank to ranks of other nodes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "remote/client/client.hpp"

namespace gondwana {
namespace {

using remote::MessageHeader;
using remote::MessagesTo;

}  // namespace

Result<Posted> RemoteClient::send_message(Rank to, Bytes head, Bytes body, Departure departure) {
  const std::size_t size = head.size() + body.size();
  if (index(to) >= memory_->roster().capacity() || size > remote::longest_message)
    return Error{Errc::invalid_argument,
                 fmt::format("cannot send a message of {} B to rank {}", size, index(to))};
  MessagesTo& messages = messages_to(to);
  if (const Error* loss = messages.loss()) return *loss;
  const bool may_gather = (departure == Departure::may_wait || messages.is_open()) &&
                          size <= remote::longest_gathered && streams_->shared().batch_limit > 0;
  if (may_gather && messages.is_full()) flush(messages);
  const bool gathered = may_gather && !messages.is_full() && messages.append(head, body);
  if (!gathered) {
    if (messages.is_open()) flush(messages);  // the receiver must handle the open batch first
    Result<Posted> posted = send_alone(messages, head, body, departure);
    if (!posted || *posted == Posted::busy) return posted;
  }
  messages.count();
  add(traffic().sent, 1);
  const bool was_full = messages.is_full();
  if (gathered && (was_full || departure == Departure::at_once)) flush(messages);
  if (was_full) poll();  // completed sends free their slots
  return Posted::accepted;
}

MessagesTo& RemoteClient::messages_to(Rank to) {
  const auto found = messages_to_.find(index(to));
  if (found != messages_to_.end()) return found->second;
  // The stream makes the agent watch that node.
  const remote::Stream& stream = streams_->to(nodes_.node_of(to));
  return messages_to_.try_emplace(index(to), streams_->shared(), to, stream).first->second;
}

// If the network is busy, the batch stays open.
void RemoteClient::flush(MessagesTo& messages) {
  [[maybe_unused]] const Result<Posted> sent = streams_->judge(messages.node(), messages.flush());
}

Result<Posted> RemoteClient::send_alone(const MessagesTo& messages, Bytes head, Bytes body,
                                        Departure departure) {
  const Rank to = messages.receiver();
  const MessageHeader envelope{.tag = tag_,
                               .to = messages.receiver_number(),
                               .from = streams_->shared().me,
                               .number = messages.next_number()};
  const auto write_all = [&](std::byte* message) {
    message = std::ranges::copy(head, remote::write(message, envelope)).out;
    std::ranges::copy(body, message);
  };
  const std::size_t size = sizeof(envelope) + head.size() + body.size();
  Result<Posted> posted = route_->send_to_rank(to, size, write_all, departure);
  if (!posted && departure == Departure::optional) return Posted::accepted;
  return streams_->judge(messages.node(), std::move(posted));
}

}  // namespace gondwana
