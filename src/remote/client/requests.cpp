// Sends requests of a rank to agents of other nodes, and messages to the ranks there.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "remote/client/implementation.hpp"

namespace gondwana {
namespace {

using remote::MessageHeader;
using remote::Request;
using remote::RequestKind;
using remote::Row;

// Limit of unanswered requests to one node. The agent receives all of them if it has room for as
// many from each rank.
constexpr std::size_t most_unanswered = 256;

// Describes the pieces to the agent.
void write_rows(std::span<const StridedRun> pieces, std::byte* message) {
  for (const StridedRun& each : pieces) {
    const Row row{.offset = each.there,
                  .step = each.there_step,
                  .size = static_cast<std::uint32_t>(each.size),
                  .count = static_cast<std::uint32_t>(each.count)};
    message = remote::write(message, row);
  }
}

// One store at the target (rule 8), because a peer may be polling it.
bool is_word(std::size_t size, std::size_t offset) {
  return (size == 1 || size == 2 || size == 4 || size == 8) && offset % size == 0;
}

}  // namespace

RemoteClient::Implementation::Link& RemoteClient::Implementation::link_to(std::uint32_t node) {
  const auto [link, is_new] = links_.try_emplace(node);
  if (is_new) memory_->entry(node).is_used.store(1, std::memory_order_relaxed);
  return link->second;
}

// The first message tells the agent where to send answers.
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
  if (last == 0) link_to(nodes_.node_of(to));  // from now on the agent watches that node
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

}  // namespace gondwana
