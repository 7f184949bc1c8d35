#include "remote/client/client.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "core/thread_stack.hpp"
#include "memory/job_end.hpp"
#include "remote/client/own_endpoint.hpp"
#include "remote/client/through_agent.hpp"

namespace gondwana {
namespace {

using remote::Stream;

// A look for losses or at the clock costs more than a poll. A rank that sleeps on something else
// polls about thirty times a second.
constexpr std::uint32_t polls_between_clocks = 16;
constexpr std::uint64_t between_looks_ns = 100'000'000;

// What libraries of networks keep on the stack of the thread that calls them, with room to spare:
// to poll, libfabric took 16 KiB of one thread; to start, UCX took 36.
constexpr std::size_t least_stack_to_poll = std::size_t{32} << 10;
constexpr std::size_t least_stack_to_open = std::size_t{64} << 10;

// The calling thread would run over its stack.
std::optional<Error> examine_stack(std::size_t least) {
  const std::optional<std::size_t> size = own_stack_size();
  if (!size || *size >= least) return std::nullopt;
  return Error{Errc::refused,
               fmt::format("this thread has a stack of {}, and needs {} at least where ranks have "
                           "connections of their own to other nodes; give it a larger one "
                           "(pthread_attr_setstacksize, of the first thread ulimit -s), or let the "
                           "node agents carry the messages (GONDWANA_ROUTE=agent)",
                           format_size(*size), format_size(least))};
}

// True at the first call of each thread.
bool is_new_thread() {
  [[gnu::tls_model("initial-exec")]] constinit static thread_local bool is_known = false;
  return !std::exchange(is_known, true);
}

std::string ranks_of(const NodeInfo& node) {
  const std::uint32_t first = index(node.ranks.front());
  return node.ranks.size() == 1 ? fmt::format("rank {}", first)
                                : fmt::format("ranks {} to {}", first, index(node.ranks.back()));
}

}  // namespace

Result<std::unique_ptr<RemoteClient>> RemoteClient::open(const Setup& setup) {
  std::unique_ptr<RemoteClient> wire(new RemoteClient(setup));
  if (const Result<void> opened = wire->open_route(setup); !opened) return opened.error();
  wire->shared_.reset(
      new Stream::Shared{.route = *wire->route_,
                         .slots = {*setup.memory, setup.me},
                         .tag = setup.job_tag,
                         .me = remote::number_of(index(setup.me), setup.incarnation),
                         .batch_limit = setup.batch_limit,
                         .traffic = wire->traffic()});
  if (setup.incarnation > 0) wire->shared_->slots.reclaim();
  return wire;
}

Result<void> RemoteClient::open_route(const Setup& setup) {
  if (setup.through_agent) {
    route_ = std::make_unique<remote::ThroughAgent>(setup.memory, setup.me, nodes_);
    eager_limit_ = remote::longest_write;
    return {};
  }
  if (std::optional<Error> refusal = examine_stack(least_stack_to_open)) return *std::move(refusal);
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
      .longest_message = remote::longest_message};
}

bool RemoteClient::progress() {
  if (++polls_ % polls_between_clocks == 0) look_for_losses();
  const bool delivered = queue_.deliver();
  const bool polled = poll();
  return flush_open() || polled || delivered;
}

// An answer lets the next batch leave.
bool RemoteClient::poll() {
  if (is_new_thread() && !carries_messages_only() && !end_) [[unlikely]] {
    if (const std::optional<Error> refusal = examine_stack(least_stack_to_poll)) {
      lose_all(*refusal);
      return false;
    }
  }
  const auto on_message = [this](Bytes bytes) { receive(bytes); };
  const auto on_lost = [this](std::uint32_t node, const std::string& why) { lose(node, why); };
  return route_->poll({on_message, on_lost});
}

// A batch that has not grown since the last call leaves: the rank waits.
bool RemoteClient::flush_open() {
  const bool sent = flush_messages();
  return flush_streams() || sent;
}

bool RemoteClient::flush_messages() {
  if (shared_->gathering.empty()) return false;
  const std::vector<MessagesTo*> open = shared_->gathering;
  for (MessagesTo* messages : open)
    if (!messages->has_grown()) flush(*messages);
  return shared_->gathering.size() < open.size();
}

bool RemoteClient::flush_streams() {
  if (shared_->open.empty()) return false;
  const std::vector<Stream*> open = shared_->open;
  for (Stream* stream : open) {
    const auto urgency = stream->has_grown() ? Stream::Urgency::gather : Stream::Urgency::send;
    [[maybe_unused]] const Result<Posted> sent = judge(stream->node(), stream->flush(urgency));
  }
  return shared_->open.size() < open.size();
}

void RemoteClient::receive(Bytes bytes) {
  const NodePlan& plan = memory_->plan();
  bool is_known = false;
  if (const auto reply = remote::read_reply(bytes, tag_, shared_->me, plan.nodes))
    is_known = take_reply(*reply);
  else if (const auto message = remote::read_message(bytes, tag_, shared_->me, plan))
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
  if (received.batch.number != remote::incarnation_in(shared_->me)) return false;
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
  const auto found = streams_.find(reply.reply.node);
  return found != streams_.end() && found->second.take_reply(reply);
}

// Why no node can be reached, if that is so.
std::optional<Error> RemoteClient::tell_end() const {
  const NodeInfo& own = nodes_[memory_->plan().node];
  if (route_->was_closed()) {
    return Error{Errc::refused,
                 "the connections of this rank to other nodes were closed, by closefrom(3) or the "
                 "like; keep the descriptors that the library has opened, or set "
                 "GONDWANA_ROUTE=agent"};
  }
  if (const std::uint32_t owner = memory_->header().shortened.load(std::memory_order_acquire);
      owner > 0) {
    return Error{Errc::peer_lost,
                 fmt::format("the node agent on host {} has ended: rank {} has made a segment of a "
                             "file that was then made shorter; keep files as long as they are "
                             "segments",
                             own.host.data(), owner - 1)};
  }
  if (!is_agent_gone()) return std::nullopt;
  return Error{Errc::peer_lost, fmt::format("the node agent on host {} is gone, was it killed? "
                                            "Nobody else can reach the memory of {}",
                                            own.host.data(), ranks_of(own))};
}

// That this node cannot reach others explains the loss of one.
void RemoteClient::lose(std::uint32_t node, const std::string& why) {
  if (end_) return;
  if (const std::optional<Error> end = tell_end()) return lose_all(*end);
  if (stream_to(node).loss() != nullptr) return;
  losses_.push_back(
      {Errc::peer_lost, fmt::format("{} on host {} cannot be reached: {}", ranks_of(nodes_[node]),
                                    nodes_[node].host.data(), why)});
  abandon(stream_to(node), losses_.back());
}

void RemoteClient::lose_all(const Error& loss) {
  end_ = loss;
  losses_.push_back(loss);
  for (auto& [node, stream] : streams_) abandon(stream, loss);
}

// Fails what will never be answered.
void RemoteClient::abandon(Stream& stream, const Error& loss) {
  route_->abandon(stream.node(), stream.lose(loss));
  for (MessagesTo* messages : std::vector(shared_->gathering))
    if (messages->node() == stream.node()) messages->abandon();
}

const Error* RemoteClient::lost(Rank peer) const {
  const auto found = streams_.find(nodes_.node_of(peer));
  if (found != streams_.end()) return found->second.loss();
  return end_ ? &*end_ : nullptr;
}

// Looks for losses that this node's agent has noticed, for the loss of that agent itself, and for
// connections that this rank has closed.
void RemoteClient::look_for_losses() {
  const std::uint64_t now = monotonic_ns();
  if (now < next_look_ns_) return;
  next_look_ns_ = now + between_looks_ns;
  if (end_) return;
  const NodeHeader& header = memory_->header();
  if (header.is_over.load(std::memory_order_acquire) == 1)  // pairs with the agent
    return lose_all({Errc::peer_lost, header.why.data()});
  if (purposeful_end(header)) return lose_all({Errc::peer_lost, "the job has ended"});
  if (route_->was_closed() || is_agent_gone())
    if (const std::optional<Error> end = tell_end()) return lose_all(*end);
  for (std::uint32_t node = 0; node < memory_->roster().nodes(); ++node) {
    const NodeState state = memory_->entry(node).state.load(std::memory_order_acquire);
    if (state != NodeState::silent && state != NodeState::cut_off) continue;
    lose(node, state == NodeState::silent
                   ? "its node agent has been silent for too long (GONDWANA_PEER_TIMEOUT)"
                   : "the connection to its node agent has ended");
  }
}

bool RemoteClient::is_agent_gone() const {
  pollfd entry{agent_, 0, 0};
  return agent_ >= 0 && ::poll(&entry, 1, 0) > 0 && (entry.revents & POLLHUP) != 0;
}

// Messages wait in this process until a connection is made. After an answer they go to the kernel.
bool RemoteClient::departed() const {
  const auto has_departed = [](const auto& each) {
    const Stream& stream = each.second;
    return !stream.is_open() && (stream.is_answered() || stream.is_done());
  };
  return shared_->gathering.empty() && route_->has_departed() &&
         std::ranges::all_of(streams_, has_departed);
}

bool RemoteClient::may_sleep() {
  look_for_losses();
  return route_->may_sleep();
}

}  // namespace gondwana
