#include "remote/client/client.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>

#include "core/machine.hpp"
#include "remote/client/implementation.hpp"
#include "remote/client/own_endpoint.hpp"
#include "remote/client/through_agent.hpp"

namespace gondwana {
namespace {

using remote::MessageHeader;
using remote::PacketKind;
using remote::Reply;
using remote::Request;
using remote::RequestKind;
using remote::Row;

// Requests to one node that are not answered. The agent has received all of them when it has room
// for as many from each rank.
constexpr std::size_t most_unanswered = 256;

// Looks for losses cost more than polls, and so do looks at the clock. Who sleeps on something else
// polls some thirty times a second.
constexpr std::uint32_t polls_between_clocks = 16;
constexpr std::uint64_t between_looks_ns = 100'000'000;

// What the agent is told of pieces.
void write_rows(std::span<const StridedRun> pieces, std::byte* message) {
  for (const StridedRun& each : pieces) {
    const Row row{.offset = each.there,
                  .step = each.there_step,
                  .size = static_cast<std::uint32_t>(each.size),
                  .count = static_cast<std::uint32_t>(each.count)};
    message = remote::write(message, row);
  }
}

// One store at the target (rule 8): what a peer may be polling.
bool is_word(std::size_t size, std::size_t offset) {
  return (size == 1 || size == 2 || size == 4 || size == 8) && offset % size == 0;
}

std::string ranks_of(const NodeInfo& node) {
  return node.ranks == 1 ? fmt::format("rank {}", node.first)
                         : fmt::format("ranks {} to {}", node.first, node.first + node.ranks - 1);
}

}  // namespace

Result<std::unique_ptr<RemoteClient::Implementation>> RemoteClient::Implementation::open(
    const Setup& setup) {
  std::unique_ptr<Implementation> wire(new Implementation(setup));
  if (setup.through_agent) {
    wire->route_ = std::make_unique<remote::ThroughAgent>(setup.memory, setup.me, wire->nodes_);
    wire->eager_limit_ = remote::longest_write;
    return wire;
  }
  Result<std::unique_ptr<remote::OwnEndpoint>> route =
      remote::OwnEndpoint::open(setup.settings, setup.memory, setup.me, wire->nodes_);
  if (!route) return route.error();
  wire->route_ = *std::move(route);
  wire->eager_limit_ = std::min(setup.eager_limit, remote::longest_write);
  return wire;
}

Limits RemoteClient::Implementation::limits() const {
  return {.largest_message =
              carries_messages_only() ? remote::longest_write : route_->longest_transfer(),
          .single_store = true,
          .atomics = true,
          .copies_up_to = eager_limit_,
          .packs_up_to = remote::longest_write,
          .longest_message = remote::longest_message};
}

RemoteClient::Implementation::Link& RemoteClient::Implementation::link_to(std::uint32_t node) {
  const auto [link, is_new] = links_.try_emplace(node);
  if (is_new) memory_->entry(node).is_used.store(1, std::memory_order_relaxed);
  return link->second;
}

// The first message says where answers go.
Result<Posted> RemoteClient::Implementation::introduce(std::uint32_t node, Link& link) {
  if (link.introduced) return Posted::accepted;
  const Bytes address = route_->address();
  const Request hello{
      .tag = tag_, .kind = RequestKind::hello, .from = index(me_), .operand = address.size()};
  Result<Posted> sent = route_->send_to_agent(
      node, sizeof(hello) + address.size(),
      [&](std::byte* message) { std::ranges::copy(address, remote::write(message, hello)); });
  link.introduced = sent && *sent == Posted::accepted;
  return sent;
}

// The agent executes requests in their order.
bool RemoteClient::Implementation::has_executed(Rank at, std::uint64_t mark) {
  const auto found = links_.find(nodes_.node_of(at));
  if (found == links_.end()) return true;
  const Link& link = found->second;
  return link.executed == link.unanswered.size() || link.unanswered[link.executed].number > mark;
}

// An error means that the node is lost.
Result<Posted> RemoteClient::Implementation::judge(std::uint32_t node, Result<Posted> posted) {
  if (posted) return posted;
  lose(node, posted.error().text);
  return *lost_;
}

Result<Posted> RemoteClient::Implementation::request(Request request, Unanswered unanswered,
                                                     Bytes behind) {
  return this->request(request, std::move(unanswered), behind.size(),
                       [behind](std::byte* message) { std::ranges::copy(behind, message); });
}

Result<Posted> RemoteClient::Implementation::request(Request request, Unanswered unanswered,
                                                     std::size_t behind, Write write_behind) {
  if (lost_) return *lost_;
  const std::uint32_t node = nodes_.node_of(Rank(request.to));
  Link& link = link_to(node);
  if (link.unanswered.size() >= most_unanswered) return Posted::busy;
  if (Result<Posted> met = judge(node, introduce(node, link)); !met || *met == Posted::busy)
    return met;
  request.tag = tag_;
  request.from = index(me_);
  request.sequence = link.sent + 1;
  const auto write_all = [&](std::byte* message) { write_behind(remote::write(message, request)); };
  Result<Posted> posted =
      judge(node, route_->send_to_agent(node, sizeof(request) + behind, write_all));
  if (!posted || *posted == Posted::busy) return posted;
  ++link.sent;
  unanswered.number = ++accepted_;
  add(traffic().under_way, 1);
  unanswered.done->begin();
  link.unanswered.push_back(std::move(unanswered));
  return posted;
}

Result<Posted> RemoteClient::Implementation::put(Remote to, Bytes source, Completion& done) {
  if (is_word(source.size(), to.offset)) {
    Request store{.kind = RequestKind::store,
                  .size = static_cast<std::uint8_t>(source.size()),
                  .to = index(to.rank),
                  .offset = to.offset};
    std::memcpy(&store.operand, source.data(), source.size());
    return request(store, {.done = &done});
  }
  if (source.size() <= eager_limit_) {
    const Request write{.kind = RequestKind::write,
                        .to = index(to.rank),
                        .offset = to.offset,
                        .operand = source.size()};
    return request(write, {.done = &done}, source);
  }
  if (lost_) return *lost_;
  const std::uint32_t node = nodes_.node_of(to.rank);
  link_to(node);
  return judge(node, route_->put(to, source, done));
}

Result<Posted> RemoteClient::Implementation::put_packed(Rank to, std::span<const StridedRun> pieces,
                                                        Completion& done) {
  const Request spread{
      .kind = RequestKind::put_packed, .to = index(to), .operand = std::uint64_t{pieces.size()}};
  const std::size_t rows = pieces.size() * sizeof(Row);
  return request(spread, {.done = &done}, rows + bytes_of(pieces), [&](std::byte* behind) {
    write_rows(pieces, behind);
    pack(pieces, behind + rows);
  });
}

Result<Posted> RemoteClient::Implementation::get_packed(Rank from,
                                                        std::span<const StridedRun> pieces,
                                                        Completion& done) {
  const Request gather{
      .kind = RequestKind::get_packed, .to = index(from), .operand = std::uint64_t{pieces.size()}};
  return request(gather, {.done = &done, .pieces = {pieces.begin(), pieces.end()}},
                 pieces.size() * sizeof(Row),
                 [&](std::byte* behind) { write_rows(pieces, behind); });
}

Result<Posted> RemoteClient::Implementation::get(MutableBytes target, Remote from,
                                                 Completion& done) {
  if (carries_messages_only()) {
    const StridedRun whole{
        .size = target.size(), .count = 1, .there = from.offset, .here = target.data()};
    return get_packed(from.rank, std::span(&whole, 1), done);
  }
  if (lost_) return *lost_;
  const std::uint32_t node = nodes_.node_of(from.rank);
  link_to(node);
  return judge(node, route_->get(target, from, done));
}

Result<Posted> RemoteClient::Implementation::atomic(Remote at, const AtomicRequest& wanted,
                                                    std::byte* result, Completion& done) {
  const Request update{
      .kind = RequestKind::atomic,
      .op = wanted.op,
      .type = wanted.type,
      .size = static_cast<std::uint8_t>(result == nullptr ? 0 : width(wanted.type)),
      .to = index(at.rank),
      .offset = at.offset,
      .operand = wanted.operand,
      .compare = wanted.compare};
  return request(update, {.done = &done, .word = result, .size = width(wanted.type)});
}

Result<Posted> RemoteClient::Implementation::send_message(Rank to, Bytes head, Bytes body) {
  const std::size_t size = head.size() + body.size();
  if (index(to) >= memory_->plan().job_ranks || size > remote::longest_message)
    return Error{Errc::invalid_argument,
                 fmt::format("no message of {} B goes to rank {}", size, index(to))};
  if (lost_) return *lost_;
  std::uint32_t& last = last_numbers_[index(to)];
  if (last == 0) link_to(nodes_.node_of(to));  // from here on the agent watches that node
  const MessageHeader envelope{
      .tag = tag_, .to = index(to), .from = index(me_), .number = last + 1};
  const auto write_all = [&](std::byte* message) {
    message = std::ranges::copy(head, remote::write(message, envelope)).out;
    std::ranges::copy(body, message);
  };
  Result<Posted> posted =
      judge(nodes_.node_of(to), route_->send_to_rank(to, sizeof(envelope) + size, write_all));
  if (!posted || *posted == Posted::busy) return posted;
  ++last;
  add(traffic().sent, 1);
  return posted;
}

bool RemoteClient::Implementation::progress() {
  if (++polls_ % polls_between_clocks == 0) look_for_losses();
  const bool delivered = queue_.deliver();
  const auto on_message = [this](Bytes bytes) { receive(bytes); };
  const auto on_lost = [this](std::uint32_t node, const std::string& why) { lose(node, why); };
  return route_->poll({on_message, on_lost}) || delivered;
}

void RemoteClient::Implementation::receive(Bytes bytes) {
  const NodePlan& plan = memory_->plan();
  bool is_known = false;
  if (const auto answer = remote::read_reply(bytes, tag_, index(me_), plan.nodes))
    is_known = take_answer(*answer);
  else if (const auto message = remote::read_message(bytes, tag_, me_, plan))
    is_known = take_message(*message);
  if (!is_known) ++refused_;
}

bool RemoteClient::Implementation::take_message(const remote::ReceivedMessage& message) {
  if (!queue_.take(message)) return false;
  add(traffic().received, 1);
  return true;
}

// An answer to a number says that all before it are done too, but the bytes of each come with its
// own, which a provider may report late. False: not to a request of ours.
bool RemoteClient::Implementation::take_answer(const remote::ReceivedReply& answer) {
  const Reply& reply = answer.reply;
  const auto found = links_.find(reply.node);
  if (found == links_.end()) return false;
  Link& link = found->second;
  const std::uint32_t count = reply.sequence - link.answered;
  if (count == 0 || count > link.unanswered.size()) return false;
  if (!take_result(link.unanswered[count - 1], answer)) return false;
  link.executed = std::max<std::size_t>(link.executed, count);
  while (link.executed > 0 && link.unanswered.front().pieces.empty()) {
    link.unanswered.front().done->finish();
    link.unanswered.pop_front();
    add(traffic().under_way, ~std::uint64_t{0});
    --link.executed;
    ++link.answered;
  }
  return true;
}

bool RemoteClient::Implementation::take_result(Unanswered& asked,
                                               const remote::ReceivedReply& answer) {
  if (answer.reply.kind == PacketKind::bytes) {
    if (asked.pieces.empty() || answer.behind.size() != bytes_of(asked.pieces)) return false;
    unpack(asked.pieces, answer.behind.data());
    asked.pieces.clear();
  } else if (asked.word != nullptr) {
    std::memcpy(asked.word, &answer.reply.value, asked.size);
  }
  return true;
}

// The first loss is the one that is told, but that of the own agent comes before those of others.
std::string RemoteClient::Implementation::tell_loss(std::uint32_t node,
                                                    const std::string& why) const {
  const NodeInfo& own = nodes_[memory_->plan().node];
  if (route_->was_closed()) {
    return "the connections of this rank to other nodes were closed, by closefrom(3) or the like; "
           "keep the descriptors that the library has opened, or set GONDWANA_ROUTE=agent";
  }
  if (const std::uint32_t owner = memory_->header().shortened.load(std::memory_order_acquire);
      owner > 0) {
    return fmt::format(
        "the node agent on host {} has ended: rank {} has made a segment of a file that was then "
        "made shorter; keep files as long as they are segments",
        own.host.data(), owner - 1);
  }
  if (is_agent_gone()) {
    return fmt::format(
        "the node agent on host {} is gone, was it killed? Nobody else can reach the memory of {}",
        own.host.data(), ranks_of(own));
  }
  return fmt::format("{} on host {} cannot be reached: {}", ranks_of(nodes_[node]),
                     nodes_[node].host.data(), why);
}

// Requests that nobody will answer are over.
void RemoteClient::Implementation::lose(std::uint32_t node, const std::string& why) {
  if (!lost_) lost_ = Error{Errc::peer_lost, tell_loss(node, why)};
  Link& link = links_[node];
  for (const Unanswered& each : link.unanswered) each.done->finish();
  link.unanswered.clear();
  link.executed = 0;
}

// Those that the agent of this node has noticed, that of the agent itself, and what this rank has
// done to itself.
void RemoteClient::Implementation::look_for_losses() {
  const std::uint64_t now = monotonic_ns();
  if (now < next_look_ns_) return;
  next_look_ns_ = now + between_looks_ns;
  const NodeHeader& header = memory_->header();
  if (!lost_ && header.is_over.load(std::memory_order_acquire) == 1)  // with the agent's release
    lost_ = Error{Errc::peer_lost, header.why.data()};
  if (!lost_ && (route_->was_closed() || is_agent_gone())) lose(memory_->plan().node, "");
  for (std::uint32_t node = 0; node < memory_->plan().nodes && !lost_; ++node) {
    const NodeState state = memory_->entry(node).state.load(std::memory_order_acquire);
    if (state == NodeState::silent)
      lose(node, "its node agent has been silent for too long (GONDWANA_PEER_TIMEOUT)");
    if (state == NodeState::cut_off) lose(node, "the connection to its node agent has ended");
  }
}

bool RemoteClient::Implementation::is_agent_gone() const {
  pollfd entry{agent_, 0, 0};
  return agent_ >= 0 && ::poll(&entry, 1, 0) > 0 && (entry.revents & POLLHUP) != 0;
}

// While a connection is being made messages wait here. Once one was answered they go to the kernel.
bool RemoteClient::Implementation::departed() const {
  const auto has_departed = [](const auto& link) {
    return link.second.answered > 0 || link.second.unanswered.empty();
  };
  return lost_ || (route_->has_departed() && std::ranges::all_of(links_, has_departed));
}

void RemoteClient::Implementation::sleep(std::chrono::microseconds limit) {
  look_for_losses();
  route_->sleep(limit);
}

RemoteClient::RemoteClient(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

RemoteClient::~RemoteClient() = default;

Result<std::unique_ptr<RemoteClient>> RemoteClient::open(const Setup& setup) {
  Result<std::unique_ptr<Implementation>> implementation = Implementation::open(setup);
  if (!implementation) return implementation.error();
  return std::unique_ptr<RemoteClient>(new RemoteClient(*std::move(implementation)));
}

std::string_view RemoteClient::name() const {
  return "network";
}
Limits RemoteClient::limits() const {
  return implementation_->limits();
}
Result<Posted> RemoteClient::put(Remote to, Bytes source, Completion& done) {
  return implementation_->put(to, source, done);
}
Result<Posted> RemoteClient::get(MutableBytes target, Remote from, Completion& done) {
  return implementation_->get(target, from, done);
}
Result<Posted> RemoteClient::put_packed(Rank to, std::span<const StridedRun> pieces,
                                        Completion& done) {
  return implementation_->put_packed(to, pieces, done);
}
Result<Posted> RemoteClient::get_packed(Rank from, std::span<const StridedRun> pieces,
                                        Completion& done) {
  return implementation_->get_packed(from, pieces, done);
}
Result<Posted> RemoteClient::atomic(Remote at, const AtomicRequest& request, std::byte* result,
                                    Completion& done) {
  return implementation_->atomic(at, request, result, done);
}
bool RemoteClient::has_unordered() const {
  return implementation_->has_unordered();
}
std::uint64_t RemoteClient::accepted() const {
  return implementation_->accepted();
}
bool RemoteClient::has_executed(Rank at, std::uint64_t mark) {
  return implementation_->has_executed(at, mark);
}
Result<Posted> RemoteClient::send_message(Rank to, Bytes head, Bytes body) {
  return implementation_->send_message(to, head, body);
}
void RemoteClient::listen(MessageReceiver receiver) {
  implementation_->listen(std::move(receiver));
}
bool RemoteClient::progress() {
  return implementation_->progress();
}
bool RemoteClient::departed() const {
  return implementation_->departed();
}
void RemoteClient::sleep(std::chrono::microseconds limit) {
  implementation_->sleep(limit);
}
const Error* RemoteClient::lost() const {
  return implementation_->lost();
}
std::uint64_t RemoteClient::refused() const {
  return implementation_->refused();
}

}  // namespace gondwana
