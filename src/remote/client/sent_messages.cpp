#include "remote/client/sent_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gondwana::remote {

Result<Posted> SentMessages::send(Rank to, Bytes head, Bytes body, Departure departure,
                                  FunctionRef<void()> on_full) {
  const std::size_t size = head.size() + body.size();
  if (index(to) >= ranks_ || size > longest_message)
    return Error{Errc::invalid_argument,
                 fmt::format("cannot send a message of {} B to rank {}", size, index(to))};
  if (streams_.any_has_died()) [[unlikely]] {
    if (streams_.is_dead(to)) return Posted::accepted;
    renew(to, streams_.incarnation_of(to));
  }
  MessagesTo& messages = messages_to(to);
  if (const Error* loss = messages.loss()) return *loss;
  const bool may_gather = (departure == Departure::may_wait || messages.is_open()) &&
                          size <= longest_gathered && streams_.shared().batch_limit > 0;
  if (may_gather && messages.is_full()) flush(messages);
  const bool gathered = may_gather && !messages.is_full() && messages.append(head, body);
  if (!gathered) {
    if (messages.is_open()) flush(messages);  // the receiver must handle the open batch first
    Result<Posted> posted = send_alone(messages, head, body, departure);
    if (!posted || *posted == Posted::busy) return posted;
  }
  messages.count();
  add(streams_.shared().traffic.sent, 1);
  const bool was_full = messages.is_full();
  if (gathered && (was_full || departure == Departure::at_once)) flush(messages);
  if (was_full) on_full();
  return Posted::accepted;
}

MessagesTo& SentMessages::messages_to(Rank to) {
  const auto found = messages_to_.find(index(to));
  if (found != messages_to_.end()) return found->second;
  // The stream makes the agent watch that node.
  const Stream& stream = streams_.to(nodes_.node_of(to));
  return messages_to_.try_emplace(index(to), streams_.shared(), to, stream).first->second;
}

bool SentMessages::flush() {
  if (gathering().empty()) return false;
  const std::vector<MessagesTo*> open = gathering();
  for (MessagesTo* messages : open)
    if (!messages->has_grown()) flush(*messages);
  return gathering().size() < open.size();
}

// If the network is busy, the batch stays open.
void SentMessages::flush(MessagesTo& messages) {
  const Result<Posted> sent = messages.flush();
  if (sent) return;
  messages.abandon();
  suspect(messages.receiver(), sent.error().text);
}

Result<Posted> SentMessages::send_alone(const MessagesTo& messages, Bytes head, Bytes body,
                                        Departure departure) {
  const Stream::Shared& shared = streams_.shared();
  const MessageHeader envelope{.tag = shared.tag,
                               .to = messages.receiver_number(),
                               .from = shared.me,
                               .number = messages.next_number()};
  const auto write_all = [&](std::byte* message) {
    message = std::ranges::copy(head, write(message, envelope)).out;
    std::ranges::copy(body, message);
  };
  const std::size_t size = sizeof(envelope) + head.size() + body.size();
  Result<Posted> posted =
      shared.route.send_to_rank(messages.receiver(), size, write_all, departure);
  if (posted || departure == Departure::optional) return posted ? posted : Posted::accepted;
  suspect(messages.receiver(), posted.error().text);
  const Error* loss = messages.loss();
  return loss != nullptr ? Result<Posted>(*loss) : Posted::accepted;
}

void SentMessages::renew(Rank peer, std::uint32_t incarnation) {
  MessagesTo& messages = messages_to(peer);
  if (incarnation <= messages.incarnation()) return;
  messages.renew(incarnation, streams_.to(nodes_.node_of(peer)));
  streams_.shared().route.renew(peer);
}

void SentMessages::suspect(Rank peer, const std::string& why) {
  if (messages_to(peer).incarnation() >= streams_.incarnation_of(peer)) streams_.suspect(peer, why);
}

}  // namespace gondwana::remote
