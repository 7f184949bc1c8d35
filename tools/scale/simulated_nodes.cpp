#include "simulated_nodes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/collectives/common/team_scratch.hpp"

namespace gondwana::scale {
namespace {

using remote::MemoryUpdate;
using remote::MessageHeader;
using remote::MessageKind;
using remote::ReceivedRequest;
using remote::Reply;
using remote::Request;
using remote::RequestKind;

void append(std::vector<std::byte>& to, Bytes bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// If rank 0 writes to its replica on a node, that node writes the same to its replica on node 0.
// Replicas are ordered by node.
std::uint64_t mirrored(std::uint64_t offset, std::uint32_t node) {
  return offset == TeamScratch::nowhere ? offset : offset + node * sizeof(TeamScratch);
}

}  // namespace

SimulatedNodes::SimulatedNodes(const NodeMemory& memory, std::uint64_t tag)
    : memory_(memory),
      tag_(tag),
      from_rank_(memory.relay(Rank(0)).to_agent),
      to_rank_(memory.relay(Rank(0)).to_rank),
      messages_(memory.plan().nodes),
      is_connected_(memory.plan().nodes) {}

void SimulatedNodes::take() {
  while (const auto record = from_rank_.front()) {
    const std::uint32_t nodes = memory_.plan().nodes;
    if (record->to < nodes)
      keep(record->to, record->bytes);
    else
      take_from_slot(memory_.batches(Rank(0)).slots[record->to - nodes]);
    from_rank_.pop();
  }
}

// The batch was too large for the ring.
void SimulatedNodes::take_from_slot(BatchSlot& slot) {
  const Bytes bytes = Bytes(slot.bytes).first(slot.state.value().size());
  const auto batch = remote::read<remote::Batch>(bytes);
  if (batch && batch->node < memory_.plan().nodes)
    keep(batch->node, bytes);
  else
    ++unknown_;
  slot.state.clear();
}

void SimulatedNodes::keep(std::uint32_t node, Bytes bytes) {
  ++traffic_.messages;
  traffic_.bytes += bytes.size();
  is_connected_[node] = true;
  sent_.push_back({node, {bytes.begin(), bytes.end()}});
}

bool SimulatedNodes::deliver() {
  if (arriving_.empty() && !sent_.empty()) {
    ++traffic_.steps;
    for (const Message& message : std::exchange(sent_, {})) answer(message);
  }
  bool delivered = false;
  for (; !arriving_.empty(); arriving_.pop_front(), delivered = true) {
    const Record& next = arriving_.front();
    std::byte* to = to_rank_.open(next.size());
    if (to == nullptr) break;
    std::ranges::copy(next, to);
    to_rank_.publish();
  }
  return delivered;
}

NodePlan SimulatedNodes::plan_of(std::uint32_t node) const {
  NodePlan plan = memory_.plan();
  plan.node = node;
  const NodeRanks ranks = memory_.entry(node).info.ranks;
  plan.first = index(ranks.front());
  plan.ranks = ranks.size();
  return plan;
}

void SimulatedNodes::answer(const Message& message) {
  const NodePlan plan = plan_of(message.node);
  if (const auto batch = remote::read_batch(message.bytes, tag_, plan))
    return execute(*batch, plan);
  const auto control = remote::read_control(message.bytes, tag_, plan);
  if (control && control->control.kind == MessageKind::hello)
    return reply({.node = message.node, .number = 0}, {});
  const auto to = remote::addressee(message.bytes, tag_);
  const auto read = to ? remote::read_message(message.bytes, tag_, *to, plan) : std::nullopt;
  if (read && Rank(*to) == plan.node_ranks().front())
    echo(*read, Rank(*to), message.node);
  else
    ++unknown_;
}

void SimulatedNodes::execute(const remote::ReceivedBatch& batch, const NodePlan& plan) {
  Record results;
  for (Bytes rest = batch.requests; !rest.empty();) {
    const auto request = remote::read_request(rest, plan);
    if (!request) {
      ++unknown_;
      return;
    }
    execute(*request, results);
    rest = rest.subspan(request->size());
  }
  reply({.node = plan.node, .number = batch.batch.number}, results);
}

// The reply counts as sent: the agent of node 0 answers the same requests of its peers.
void SimulatedNodes::reply(Reply reply, Bytes results) {
  reply.tag = tag_;
  reply.size = results.size();
  Record record;
  append(record, remote::bytes_of(reply));
  append(record, results);
  ++traffic_.messages;
  traffic_.bytes += record.size();
  arriving_.push_back(std::move(record));
}

void SimulatedNodes::execute(const ReceivedRequest& received, Record& results) {
  const Request& request = received.request;
  switch (request.kind) {
    case RequestKind::read:
      return append(results, {place(request.offset), request.operand});
    case RequestKind::store:
      std::memcpy(place(request.offset), &request.operand, request.size);
      return;
    case RequestKind::write:
      std::ranges::copy(received.payload, place(request.offset));
      return;
    case RequestKind::atomic: {
      AtomicRequest atomic{request.op, request.type, request.operand};
      if (!received.payload.empty())
        std::memcpy(&atomic.compare, received.payload.data(), sizeof(atomic.compare));
      const remote::ResultWord old =
          find_executor(request.op, request.type)(place(request.offset), atomic);
      if (request.size > 0) append(results, std::as_bytes(std::span(&old, 1)));
      return;
    }
    default:
      ++unknown_;
  }
}

void SimulatedNodes::echo(const remote::ReceivedMessage& message, Rank from, std::uint32_t node) {
  auto update = remote::read<MemoryUpdate>(message.bytes);
  if (!update || update->head.kind != remote::ContentKind::update) {
    ++unknown_;
    return;
  }
  update->offset = mirrored(update->offset, node);
  update->word_offset = mirrored(update->word_offset, node);
  const MessageHeader header{
      .tag = tag_, .to = 0, .from = index(from), .number = ++messages_[node]};
  Record record;
  append(record, remote::bytes_of(header));
  append(record, remote::bytes_of(*update));
  append(record, message.bytes.subspan(sizeof(MemoryUpdate)));
  arriving_.push_back(std::move(record));
}

Sent SimulatedNodes::reset() {
  sent_ = {};
  arriving_ = {};
  return std::exchange(traffic_, {});
}

std::uint64_t SimulatedNodes::connections() const {
  return static_cast<std::uint64_t>(std::ranges::count(is_connected_, true));
}

}  // namespace gondwana::scale
