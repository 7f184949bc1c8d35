// How a node agent executes requests of other processes.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "core/machine.hpp"
#include "operations/copy.hpp"
#include "remote/agent/implementation.hpp"
#include "tracing/tracer.hpp"

namespace gondwana {
namespace {

using network::Peer;
using remote::Control;
using remote::MessageKind;
using remote::ReceivedBatch;
using remote::ReceivedRequest;
using remote::Request;
using remote::RequestKind;
using remote::ResultWord;
using remote::Row;

// Only the first request tells: numbers wrap around, so that 0 is also one of other batches.
bool is_of_messages(const ReceivedBatch& received) {
  const auto first = remote::read<Request>(received.requests);
  return first && first->kind == RequestKind::message;
}

TraceEvent event_of(const ReceivedBatch& received) {
  return {.kind = EventKind::handler,
          .name = Tracer::number_of("batch"),
          .peer = received.batch.from,
          .bytes = received.requests.size()};
}

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void NodeAgent::Implementation::on_message(Bytes bytes) {
  const NodePlan& plan = memory_->plan();
  if (const auto batch = remote::read_batch(bytes, tag_, plan)) return take_turn(*batch, bytes);
  if (const auto to = remote::addressee(bytes, tag_)) return on_packet(*to, bytes);
  if (const auto control = remote::read_control(bytes, tag_, plan)) return on_control(*control);
  endpoint_->refuse();
}

// The packet is for a rank whose messages are carried, or is another agent's answer to a beat.
void NodeAgent::Implementation::on_packet(std::uint32_t to, Bytes packet) {
  const NodePlan& plan = memory_->plan();
  if (!carried_.empty() && plan.node_ranks().holds(Rank(to))) return deliver(Rank(to), packet);
  const auto answer = remote::read_reply(packet, tag_, remote::agent_number(plan.node), plan.nodes);
  const auto node = answer ? watched_.find(answer->reply.node) : watched_.end();
  if (node == watched_.end()) {
    ++dropped_.misdirected;
    return;
  }
  node->second.has_answered = true;
  node->second.heard_ns = monotonic_ns();
}

void NodeAgent::Implementation::on_control(const remote::ReceivedControl& received) {
  const Control& control = received.control;
  switch (control.kind) {
    case MessageKind::hello:
      return meet(received);
    case MessageKind::beat:
      return owe(control.from, control.number);
    case MessageKind::ask:
      return answer_ask(control);
    case MessageKind::report:
      return hear_report(control, received.behind);
    default:
      return declare_over(text_of(received.behind));
  }
}

// The first hello of a process ends what its predecessor of this rank has left.
void NodeAgent::Implementation::meet(const remote::ReceivedControl& hello) {
  const std::uint32_t from = hello.control.from;
  Client& client = clients_[from];
  if (hello.incarnation < client.incarnation) {
    ++dropped_.repeated;
    return;
  }
  const Result<Peer> peer = endpoint_->add_peer(hello.behind);
  if (!peer) return;
  client.peer = *peer;
  client.incarnation = hello.incarnation;
  client.order = {};
  client.stalled.reset();
  client.answers.clear();
  owe(from, 0);
}

// Executes the batches of a rank in their order.
void NodeAgent::Implementation::take_turn(const ReceivedBatch& received, Bytes bytes) {
  if (is_of_messages(received)) return pass_messages(received, bytes);
  Client& client = clients_[received.batch.from];
  remote::InOrder& order = client.order;
  const std::uint32_t number = received.batch.number;
  if (received.incarnation != client.incarnation) {
    ++dropped_.repeated;
    return;
  }
  if (client.stalled || !order.is_next(number)) {
    if (order.is_past(number) || !order.keep(number, bytes)) ++dropped_.repeated;
    return;
  }
  order.pass();
  execute(received);
  execute_kept(client);
}

void NodeAgent::Implementation::execute_kept(Client& client) {
  while (!client.stalled) {
    const auto next = client.order.pass_kept();
    if (!next) return;
    execute(*remote::read_batch(*next, tag_, memory_->plan()));
  }
}

// What came earlier over this connection becomes visible first. `added`: bytes of the first request
// that were added before the batch stalled.
void NodeAgent::Implementation::execute(const ReceivedBatch& received, std::size_t added) {
  std::atomic_thread_fence(std::memory_order_release);
  const TracedScope traced([&received] { return event_of(received); });
  for (Bytes rest = received.requests; !rest.empty();) {
    const auto request = remote::read_request(rest, memory_->plan());
    if (!request)
      return refuse(received.batch, "it is malformed: the memory of that rank is damaged");
    const Result<bool> executed = request->request.target().is_arena()
                                      ? execute(*request, added)
                                      : execute_on_device(*request, added);
    if (!executed) return refuse(received.batch, executed.error().text);
    if (!*executed) return stall(received.batch, rest, added);
    added = 0;
    rest = rest.subspan(request->size());
  }
  add(memory_->header().agent_load.batches, 1);
  const auto [tag, kind, from, number, node] = received.batch;
  owe(from, number);
  if (results_.empty()) return;
  clients_[from].owed = false;
  answer(from, {.reply = {.number = number}, .parts = std::exchange(results_, {})});
}

// No answer would be true, and the rank waits for one.
void NodeAgent::Implementation::refuse(const remote::Batch& batch, const std::string& why) {
  results_.clear();
  endpoint_->refuse();
  declare_over(fmt::format("the agent of host {} cannot carry out a request of rank {}: {}",
                           contact_.info().host.data(), batch.from, why));
}

// False: an accumulate has to wait.
bool NodeAgent::Implementation::execute(const ReceivedRequest& received, std::size_t& added) {
  const Request& request = received.request;
  const auto size = static_cast<std::uint32_t>(request.operand);
  switch (request.kind) {
    case RequestKind::store:
      store(request, {reinterpret_cast<const std::byte*>(&request.operand), request.size});
      break;
    case RequestKind::write:
      store(request, received.behind);
      break;
    case RequestKind::read:
      results_.push_back({request.target(), {.offset = request.offset, .size = size, .count = 1}});
      break;
    case RequestKind::put_packed:
      put_packed(received);
      break;
    case RequestKind::get_packed:
      get_packed(received);
      break;
    case RequestKind::accumulate:
      return accumulate(received, added);
    case RequestKind::atomic:
      update(received);
      break;
    case RequestKind::message:
      endpoint_->refuse();
      break;
  }
  return true;
}

Result<bool> NodeAgent::Implementation::execute_on_device(const ReceivedRequest& received,
                                                          std::size_t& added) {
  const Request& request = received.request;
  const auto size = static_cast<std::uint32_t>(request.operand);
  ResultWord old = 0;
  Result<bool> executed = spaces_.execute(received, added, old);
  if (!executed || !*executed) return executed;
  if (request.kind == RequestKind::read)
    results_.push_back({request.target(), {.offset = request.offset, .size = size, .count = 1}});
  if (request.kind == RequestKind::get_packed) get_packed(received);
  if (request.kind == RequestKind::atomic && request.size > 0) results_.push_back({.word = old});
  return executed;
}

void NodeAgent::Implementation::store(const Request& request, Bytes bytes) {
  std::atomic_thread_fence(std::memory_order_release);
  copy_to_peer(place_of(request), bytes.data(), bytes.size());
  note_written(request.target().rank, request.offset, bytes.size());
}

void NodeAgent::Implementation::put_packed(const ReceivedRequest& received) {
  std::atomic_thread_fence(std::memory_order_release);
  std::byte* arena = memory_->window(received.request.target().rank);
  const std::byte* packed = received.packed().data();
  for (std::size_t i = 0; i < received.rows(); ++i) {
    const Row row = received.row(i);
    copy_pieces({arena + row.offset, row.step}, {packed, std::ptrdiff_t{row.size}}, row.size,
                row.count);
    packed += row.bytes();
    note_written(received.request.target().rank, row);
  }
}

void NodeAgent::Implementation::get_packed(const ReceivedRequest& received) {
  for (std::size_t i = 0; i < received.rows(); ++i)
    results_.push_back({received.request.target(), received.row(i)});
}

void NodeAgent::Implementation::update(const ReceivedRequest& received) {
  const Request& request = received.request;
  AtomicRequest atomic{request.op, request.type, request.operand};
  if (!received.behind.empty())
    std::memcpy(&atomic.compare, received.behind.data(), sizeof(atomic.compare));
  const ResultWord old = find_executor(request.op, request.type)(place_of(request), atomic);
  if (request.op != AtomicOp::fetch)
    note_written(request.target().rank, request.offset, width(request.type));
  if (request.size > 0) results_.push_back({.word = old});
}

// A batch often writes the same place again.
void NodeAgent::Implementation::note_written(Rank rank, std::uint64_t offset, std::size_t size) {
  if (!written_.empty()) {
    const Written& last = written_.back();
    if (last.rank == rank && last.offset == offset && last.size == size) return;
  }
  written_.push_back({rank, offset, size});
}

void NodeAgent::Implementation::note_written(Rank rank, const Row& row) {
  const std::ptrdiff_t distance = row.step * (static_cast<std::ptrdiff_t>(row.count) - 1);
  const auto below = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(-distance, 0));
  note_written(rank, row.offset - below, static_cast<std::size_t>(std::abs(distance)) + row.size);
}

// Owes one answer for all batches that one poll finds.
void NodeAgent::Implementation::owe(std::uint32_t from, std::uint32_t number) {
  Client& client = clients_[from];
  client.done = number;
  if (!client.owed) owed_.push_back(from);
  client.owed = true;
}

// Called after the answers are posted, because a wake-up takes half of a round trip. A rank that
// waits for another word stays asleep.
void NodeAgent::Implementation::ring() {
  for (const Written& each : written_)
    memory_->data_bell(each.rank).ring_if_watched(each.offset, each.size);
  written_.clear();
  for (Carried& rank : carried_)
    if (std::exchange(rank.has_news, false)) rank.bell.ring_if_asleep();
}

}  // namespace gondwana
