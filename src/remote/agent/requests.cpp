// How a node agent executes requests of other processes.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/machine.hpp"
#include "operations/copy.hpp"
#include "remote/agent/implementation.hpp"

namespace gondwana {
namespace {

using network::Peer;
using remote::PacketKind;
using remote::ReceivedRequest;
using remote::Request;
using remote::RequestKind;
using remote::Row;

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void NodeAgent::Implementation::on_message(Bytes bytes) {
  if (const auto to = remote::addressee(bytes, tag_)) return on_packet(*to, bytes);
  execute(bytes);
}

// The packet is for a rank whose messages are carried, or is another agent's answer to a beat.
void NodeAgent::Implementation::on_packet(std::uint32_t to, Bytes packet) {
  const NodePlan& plan = memory_->plan();
  if (!carried_.empty() && plan.holds(Rank(to))) return deliver(Rank(to), packet);
  const auto answer =
      remote::read_reply(packet, tag_, remote::agent_number(plan, plan.node), plan.nodes);
  const auto node = answer ? watched_.find(answer->reply.node) : watched_.end();
  if (node == watched_.end()) {
    ++dropped_.misdirected;
    return;
  }
  node->second.has_answered = true;
  node->second.heard_ns = monotonic_ns();
}

void NodeAgent::Implementation::execute(Bytes bytes) {
  const auto received = remote::read_request(bytes, tag_, memory_->plan());
  if (!received) return endpoint_->refuse();
  switch (received->request.kind) {
    case RequestKind::hello:
      return meet(received->request, received->behind);
    case RequestKind::beat:
      return owe(received->request);
    case RequestKind::ask:
      return answer_ask(received->request);
    case RequestKind::report:
      return hear_report(received->request, received->behind);
    case RequestKind::alarm:
      return declare_over(text_of(received->behind));
    default:
      return take_turn(*received, bytes);
  }
}

// Executes the requests of a rank in their order.
void NodeAgent::Implementation::take_turn(const ReceivedRequest& received, Bytes bytes) {
  remote::InOrder& order = clients_[received.request.from].order;
  const std::uint32_t number = received.request.sequence;
  if (!order.is_next(number)) {
    if (order.is_past(number) || !order.keep(number, bytes)) ++dropped_.repeated;
    return;
  }
  order.pass();
  carry_out(received);
  while (const auto next = order.pass_kept())
    carry_out(*remote::read_request(*next, tag_, memory_->plan()));
}

void NodeAgent::Implementation::carry_out(const ReceivedRequest& received) {
  const Request& request = received.request;
  if (request.kind == RequestKind::atomic) return update(request);
  if (request.kind == RequestKind::put_packed) return put_packed(received);
  if (request.kind == RequestKind::get_packed) return get_packed(received);
  const Bytes word(reinterpret_cast<const std::byte*>(&request.operand), request.size);
  store(request, request.kind == RequestKind::store ? word : received.behind);
}

void NodeAgent::Implementation::meet(const Request& request, Bytes address) {
  const Result<Peer> peer = endpoint_->add_peer(address);
  if (!peer) return;
  Client& client = clients_[request.from];
  client.peer = *peer;
  client.done = request.sequence;
  client.owed = false;
  client.order = {};
  client.answers.clear();
}

// What came earlier over this connection becomes visible first.
void NodeAgent::Implementation::store(const Request& request, Bytes bytes) {
  std::atomic_thread_fence(std::memory_order_release);
  copy_to_peer(place_of(request), bytes.data(), bytes.size());
  written_.push_back({request.to, request.offset, bytes.size()});
  owe(request);
}

void NodeAgent::Implementation::put_packed(const ReceivedRequest& received) {
  std::atomic_thread_fence(std::memory_order_release);
  std::byte* arena = memory_->window(Rank(received.request.to));
  const std::byte* packed = received.packed().data();
  for (std::size_t i = 0; i < received.rows(); ++i) {
    const Row row = received.row(i);
    copy_pieces({arena + row.offset, row.step}, {packed, std::ptrdiff_t{row.size}}, row.size,
                row.count);
    packed += row.bytes();
    note_written(received.request.to, row);
  }
  owe(received.request);
}

void NodeAgent::Implementation::note_written(std::uint32_t rank, const Row& row) {
  const std::ptrdiff_t distance = row.step * (static_cast<std::ptrdiff_t>(row.count) - 1);
  const auto below = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(-distance, 0));
  written_.push_back(
      {rank, row.offset - below, static_cast<std::size_t>(std::abs(distance)) + row.size});
}

void NodeAgent::Implementation::get_packed(const ReceivedRequest& received) {
  const Request& request = received.request;
  Client& client = clients_[request.from];
  client.done = request.sequence;
  client.owed = false;
  Answer bytes{.reply = {.kind = PacketKind::bytes, .sequence = request.sequence},
               .at = Rank(request.to)};
  for (std::size_t i = 0; i < received.rows(); ++i) {
    bytes.rows.push_back(received.row(i));
    bytes.reply.value += bytes.rows.back().bytes();
  }
  answer(request.from, std::move(bytes));
}

void NodeAgent::Implementation::update(const Request& request) {
  const AtomicRequest atomic{request.op, request.type, request.operand, request.compare};
  const std::uint64_t old = find_executor(request.op, request.type)(place_of(request), atomic);
  if (request.op != AtomicOp::fetch)
    written_.push_back({request.to, request.offset, width(request.type)});
  if (request.size == 0) return owe(request);
  Client& client = clients_[request.from];
  client.done = request.sequence;
  client.owed = false;
  answer(request.from,
         {.reply = {.kind = PacketKind::word, .sequence = request.sequence, .value = old}});
}

// Owes one answer for all requests that one poll finds.
void NodeAgent::Implementation::owe(const Request& request) {
  Client& client = clients_[request.from];
  client.done = request.sequence;
  if (!client.owed) owed_.push_back(request.from);
  client.owed = true;
}

// Called after the answers are posted, because a wake-up takes half of a round trip. A rank that
// waits for another word stays asleep.
void NodeAgent::Implementation::ring() {
  for (const Written& each : written_)
    memory_->data_bell(Rank(each.rank)).ring_if_watched(each.offset, each.size);
  written_.clear();
  for (Carried& rank : carried_)
    if (std::exchange(rank.has_news, false)) rank.bell.ring_if_asleep();
}

}  // namespace gondwana
