#include "remote/client/arrivals.hpp"

namespace gondwana::remote {

void Arrivals::take(Bytes bytes) {
  const Stream::Shared& shared = streams_.shared();
  bool is_known = false;
  if (const auto reply = read_reply(bytes, shared.tag, shared.me, plan_.node_slots()))
    is_known = take_reply(*reply);
  else if (const auto message = read_message(bytes, shared.tag, shared.me, plan_))
    is_known = take_message(*message);
  else if (const auto batch = read_batch(bytes, shared.tag, plan_))
    is_known = take_messages(*batch);
  if (!is_known) ++refused_;
}

bool Arrivals::take_message(const ReceivedMessage& message) {
  // The first message of another process that has taken the place of the peer.
  if (message.incarnation > 0 && queue_.renew(message.from, message.incarnation))
    sent_.renew(message.from, message.incarnation);
  if (!queue_.take(message)) return false;
  add(streams_.shared().traffic.received, 1);
  return true;
}

bool Arrivals::take_messages(const ReceivedBatch& received) {
  if (received.batch.number != incarnation_in(streams_.shared().me)) return false;
  bool are_known = true;
  for (Bytes rest = received.requests; !rest.empty();) {
    const auto next = read_request(rest, plan_);
    if (!next) return false;
    const Request& request = next->request;
    if (request.kind != RequestKind::message || request.to != index(me_)) return false;
    const auto number = static_cast<std::uint32_t>(request.offset);
    are_known &=
        take_message({Rank(received.batch.from), number, next->payload, received.incarnation});
    rest = rest.subspan(next->size());
  }
  return are_known;
}

bool Arrivals::take_reply(const ReceivedReply& reply) {
  Stream* stream = streams_.find(reply.reply.node);
  return stream != nullptr && stream->take_reply(reply);
}

}  // namespace gondwana::remote
