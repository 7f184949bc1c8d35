#include "simulation/engine/wire_rules.hpp"

#include <fmt/format.h>

#include <optional>

#include "remote/client/route.hpp"

namespace gondwana::simulation {
namespace {

using remote::Batch;
using remote::MessageKind;
using remote::Reply;
using remote::Request;
using remote::RequestKind;

// Of an endpoint of a rank: OwnEndpoint::window().
constexpr std::size_t longest_unanswered = std::size_t{128} * 1024;

// Batches of messages between ranks have no answer.
std::optional<Batch> batch_in(Bytes message, std::uint64_t tag) {
  const auto batch = remote::read<Batch>(message);
  if (!batch || batch->tag != tag || batch->kind != MessageKind::batch) return std::nullopt;
  const auto first = remote::read<Request>(message.subspan(sizeof(Batch)));
  return first && first->kind != RequestKind::message ? batch : std::nullopt;
}

// Answers to agents, and to hellos, end no batch.
std::optional<Reply> reply_in(Bytes message, std::uint64_t tag) {
  const auto reply = remote::read<Reply>(message);
  const bool is_one = reply && reply->tag == tag && reply->kind == MessageKind::reply &&
                      !remote::is_agent(reply->to) && reply->number > 0;
  return is_one ? reply : std::nullopt;
}

}  // namespace

void WireRules::leaves(Bytes message, bool by_rank) {
  if (const auto batch = batch_in(message, setup_.tag)) leaves(*batch, message.size(), by_rank);
  if (const auto reply = reply_in(message, setup_.tag)) leaves(*reply);
}

// The limits are those of a rank. Its agent also sends what it has left open, whatever the limits.
void WireRules::leaves(const Batch& batch, std::size_t size, bool by_rank) {
  Stream& sent = stream(batch.from, batch.node);
  if (!sent.travelling.insert(batch.number).second)
    machine_.fail(fmt::format("batch {} of rank {} is sent twice", batch.number, batch.from));
  if (!by_rank) return;
  sent.unanswered.emplace(batch.number, size);
  sent.bytes += size;
  const std::size_t count = sent.unanswered.size();
  if (count > remote::max_unanswered || (count > 1 && sent.bytes > longest_unanswered))
    machine_.fail(fmt::format("{} batches of {} bytes of rank {} to node {} have no answer", count,
                              sent.bytes, batch.from, batch.node));
}

void WireRules::leaves(const Reply& reply) {
  Stream& of = stream(reply.to, reply.node);
  if (!of.travelling.empty() && *of.travelling.begin() <= reply.number)
    machine_.fail(fmt::format("node {} answers batch {} of rank {}, but has not received batch {}",
                              reply.node, reply.number, reply.to, *of.travelling.begin()));
  of.answered = std::max(of.answered, reply.number);
  std::uint64_t answered = 0;
  for (const auto& [key, each] : streams_)
    if (key.first == reply.node) answered += each.answered;
  if (answered > setup_.executed(reply.node))
    machine_.fail(fmt::format("node {} has answered {} batches and executed {}", reply.node,
                              answered, setup_.executed(reply.node)));
}

void WireRules::arrives(Bytes message) {
  if (const auto batch = batch_in(message, setup_.tag))
    stream(batch->from, batch->node).travelling.erase(batch->number);
  const auto reply = reply_in(message, setup_.tag);
  if (!reply) return;
  Stream& sent = stream(reply->to, reply->node);
  while (!sent.unanswered.empty() && sent.unanswered.begin()->first <= reply->number) {
    sent.bytes -= sent.unanswered.begin()->second;
    sent.unanswered.erase(sent.unanswered.begin());
  }
}

}  // namespace gondwana::simulation
