#include "remote/client/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/mapping.hpp"
#include "core/thread_stack.hpp"
#include "remote/client/own_endpoint.hpp"
#include "remote/client/through_agent.hpp"

namespace gondwana {
namespace {

// A check for losses or of the clock costs more than a poll. A rank that sleeps on another event
// polls about thirty times a second.
constexpr std::uint32_t polls_between_clocks = 16;

// The stack that network libraries need in the calling thread, with a margin. Measured: 16 KiB in
// libfabric to poll, 36 KiB in UCX to start.
constexpr std::size_t min_stack_to_poll = std::size_t{32} << 10;
constexpr std::size_t min_stack_to_open = std::size_t{64} << 10;

// Returns an error if the calling thread would overflow its stack.
std::optional<Error> examine_stack(std::size_t least) {
  const std::optional<std::size_t> size = own_stack_size();
  if (!size || *size >= least) return std::nullopt;
  return Error{Errc::refused,
               fmt::format("this thread has a stack of {}, but needs at least {} if ranks have "
                           "their own connections to other nodes; give it a larger stack "
                           "(pthread_attr_setstacksize; for the first thread ulimit -s), or let "
                           "the node agents carry the messages (GONDWANA_ROUTE=agent)",
                           format_size(*size), format_size(least))};
}

// True in the first call by each thread.
bool is_new_thread() {
  [[gnu::tls_model("initial-exec")]] constinit static thread_local bool is_known = false;
  return !std::exchange(is_known, true);
}

}  // namespace

Result<std::unique_ptr<RemoteClient>> RemoteClient::open(const Setup& setup) {
  std::unique_ptr<RemoteClient> wire(new RemoteClient(setup));
  if (const Result<void> opened = wire->open_route(setup); !opened) return opened.error();
  wire->streams_.emplace(remote::Streams::Setup{.route = *wire->route_,
                                                .memory = *setup.memory,
                                                .nodes = wire->nodes_,
                                                .me = setup.me,
                                                .incarnation = setup.incarnation,
                                                .job_tag = setup.job_tag,
                                                .batch_limit = setup.batch_limit,
                                                .agent = setup.agent});
  return wire;
}

Result<void> RemoteClient::open_route(const Setup& setup) {
  if (setup.through_agent) {
    route_ = std::make_unique<remote::ThroughAgent>(setup.memory, setup.me, nodes_);
    eager_limit_ = remote::longest_write;
    return {};
  }
  if (std::optional<Error> refusal = examine_stack(min_stack_to_open)) return *std::move(refusal);
  Result<std::unique_ptr<remote::OwnEndpoint>> route =
      remote::OwnEndpoint::open(setup.settings, setup.memory, setup.me, nodes_);
  if (!route) return route.error();
  route_ = *std::move(route);
  eager_limit_ = std::clamp(setup.eager_limit, sizeof(std::uint64_t), remote::longest_write);
  return {};
}

Limits RemoteClient::limits() const {
  return {
      .messages_up_to = eager_limit_,
      .longest_write = carries_messages_only() ? remote::longest_write : route_->longest_transfer(),
      .packs_up_to = remote::longest_write,
      .accumulates_up_to = remote::longest_write,
      .longest_message = remote::longest_message,
      .passes_up_to = carries_messages_only() ? 0 : remote::longest_pass};
}

bool RemoteClient::progress() {
  if (++polls_ % polls_between_clocks == 0) streams_->look_for_losses();
  const bool delivered = queue_.deliver();
  const bool polled = poll();
  return flush_open() || polled || delivered;
}

// Handles replies, which may allow the next batch to be sent.
bool RemoteClient::poll() {
  if (is_new_thread() && !carries_messages_only() && streams_->end() == nullptr) [[unlikely]] {
    if (const std::optional<Error> refusal = examine_stack(min_stack_to_poll)) {
      streams_->lose_all(*refusal);
      return false;
    }
  }
  const auto on_message = [this](Bytes bytes) { receive(bytes); };
  const auto on_lost = [this](std::uint32_t node, const std::string& why) {
    streams_->lose(node, why);
  };
  return route_->poll({on_message, on_lost});
}

// Sends batches that have not grown since the last call, because then the rank waits.
bool RemoteClient::flush_open() {
  const bool sent = flush_messages();
  return streams_->flush() || sent;
}

bool RemoteClient::flush_messages() {
  const std::vector<MessagesTo*>& gathering = streams_->shared().gathering;
  if (gathering.empty()) return false;
  const std::vector<MessagesTo*> open = gathering;
  for (MessagesTo* messages : open)
    if (!messages->has_grown()) flush(*messages);
  return gathering.size() < open.size();
}

void RemoteClient::receive(Bytes bytes) {
  const NodePlan& plan = memory_->plan();
  bool is_known = false;
  if (const auto reply = remote::read_reply(bytes, tag_, streams_->shared().me, plan.nodes))
    is_known = take_reply(*reply);
  else if (const auto message = remote::read_message(bytes, tag_, streams_->shared().me, plan))
    is_known = take_message(*message);
  else if (const auto batch = remote::read_batch(bytes, tag_, plan))
    is_known = take_messages(*batch);
  if (!is_known) ++refused_;
}

bool RemoteClient::take_message(const remote::ReceivedMessage& message) {
  if (message.incarnation > 0) renew(message.from, message.incarnation);
  if (!queue_.take(message)) return false;
  add(traffic().received, 1);
  return true;
}

bool RemoteClient::take_messages(const remote::ReceivedBatch& received) {
  if (received.batch.number != remote::incarnation_in(streams_->shared().me)) return false;
  bool are_known = true;
  for (Bytes rest = received.requests; !rest.empty();) {
    const auto next = remote::read_request(rest, memory_->plan());
    if (!next) return false;
    const remote::Request& request = next->request;
    if (request.kind != remote::RequestKind::message || request.to != index(me_)) return false;
    const auto number = static_cast<std::uint32_t>(request.offset);
    are_known &=
        take_message({Rank(received.batch.from), number, next->behind, received.incarnation});
    rest = rest.subspan(next->size());
  }
  return are_known;
}

void RemoteClient::renew(Rank peer, std::uint32_t incarnation) {
  if (!queue_.renew(peer, incarnation)) return;
  MessagesTo& messages = messages_to(peer);
  messages.renew(incarnation);
  route_->renew(peer);
}

bool RemoteClient::take_reply(const remote::ReceivedReply& reply) {
  remote::Stream* stream = streams_->find(reply.reply.node);
  return stream != nullptr && stream->take_reply(reply);
}

// Messages wait in this process until a connection is made. After the first reply they go to the
// kernel.
bool RemoteClient::departed() const {
  return streams_->shared().gathering.empty() && route_->has_departed() &&
         streams_->have_departed();
}

bool RemoteClient::may_sleep() {
  streams_->look_for_losses();
  return route_->may_sleep();
}

}  // namespace gondwana
