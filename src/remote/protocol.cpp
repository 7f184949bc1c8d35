#include "remote/protocol.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/fingerprint.hpp"
#include "memory/node_entry.hpp"

namespace gondwana::remote {
namespace {

static_assert(offsetof(Reply, kind) == offsetof(MessageHeader, kind) &&
                  offsetof(Reply, to) == offsetof(MessageHeader, to) &&
                  offsetof(Batch, kind) == offsetof(MessageHeader, kind) &&
                  offsetof(Control, kind) == offsetof(MessageHeader, kind),
              "all messages begin alike");
static_assert(sizeof(Control) == 48 && sizeof(Batch) == 32 && sizeof(Request) == 24 &&
                  sizeof(PackedRun) == 24 && sizeof(Reply) == 32 && sizeof(MessageHeader) == 24,
              "no byte that nobody writes");

// No space is longer. The length of a space other than the arena is in its owner's table.
constexpr std::size_t longest_space = std::size_t{1} << 46;

std::size_t limit_of(const Request& request, const NodePlan& plan) {
  return request.target().is_arena() ? plan.arena_size() : longest_space;
}

// Whether a word is in the space and aligned to its size.
bool is_word(const Request& request, std::size_t size, const NodePlan& plan) {
  return request.offset <= limit_of(request, plan) - size && request.offset % size == 0;
}

// Whether contiguous bytes are in the space.
bool is_range(const Request& request, const NodePlan& plan) {
  const std::uint64_t size = request.operand;
  return size > 0 && size <= max_write && request.offset <= limit_of(request, plan) - size;
}

bool is_store(const Request& request, const NodePlan& plan) {
  const std::size_t size = request.size;
  return (size == 1 || size == 2 || size == 4 || size == 8) && is_word(request, size, plan);
}

// Whether all pieces are within `limit` bytes and have at most `bytes` bytes. The stride does not
// exceed `limit` and the count does not exceed `bytes`, so nothing overflows.
bool is_run(const PackedRun& run, std::size_t limit, std::size_t bytes) {
  const auto most = static_cast<std::int64_t>(limit);
  if (run.bytes() == 0 || run.bytes() > bytes || run.offset > limit) return false;
  if (run.stride > most || run.stride < -most) return false;
  const auto first = static_cast<std::int64_t>(run.offset);
  const std::int64_t last = first + run.stride * (std::int64_t{run.count} - 1);
  return std::min(first, last) >= 0 && std::max(first, last) + run.size <= most;
}

// The bytes of all runs; nothing if a run is invalid or the total is too large.
std::optional<std::uint64_t> bytes_of_runs(std::uint64_t runs, Bytes payload, std::size_t limit,
                                           std::size_t most) {
  if (runs == 0 || runs > max_runs || payload.size() < runs * sizeof(PackedRun))
    return std::nullopt;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    const PackedRun run = *read<PackedRun>(payload.subspan(i * sizeof(PackedRun)));
    if (!is_run(run, limit, most)) return std::nullopt;
    bytes += run.bytes();
  }
  return bytes <= most ? std::optional(bytes) : std::nullopt;
}

bool is_atomic(const Request& request, const NodePlan& plan) {
  return static_cast<std::size_t>(request.op) < atomic_ops &&
         static_cast<std::size_t>(request.type) < atomic_types &&
         find_executor(request.op, request.type) != nullptr &&
         is_word(request, width(request.type), plan);
}

// Whether the runs consist of whole elements.
bool has_elements(const Request& request, Bytes payload) {
  if (request.size >= accumulate_types || request.operand > max_runs ||
      payload.size() < request.operand * sizeof(PackedRun))
    return false;
  const std::size_t element = width(static_cast<AccumulateType>(request.size));
  for (std::size_t i = 0; i < request.operand; ++i)
    if (read<PackedRun>(payload.subspan(i * sizeof(PackedRun)))->size % element != 0) return false;
  return true;
}

bool is_message(const Request& request) {
  return request.target().is_arena() && request.operand <= longest_gathered &&
         request.offset <= std::numeric_limits<std::uint32_t>::max();
}

// The passed bytes are contiguous in the arena.
bool is_pass(const Request& request, Bytes payload, const NodePlan& plan) {
  if (request.target().is_arena()) return false;
  const auto bytes = bytes_of_runs(request.operand, payload, longest_space, longest_pass);
  return bytes && request.offset <= plan.arena_size() - *bytes;
}

std::size_t operand_bytes(const Request& request) {
  return request.op == AtomicOp::compare_swap ? sizeof(ResultWord) : 0;
}

// The number of bytes that belong to a request, of those that follow it; nothing if it is
// malformed.
std::optional<std::size_t> size_after(const Request& request, Bytes payload, const NodePlan& plan) {
  const auto if_valid = [](bool valid, std::size_t size) {
    return valid ? std::optional(size) : std::nullopt;
  };
  switch (request.kind) {
    case RequestKind::store:
      return if_valid(is_store(request, plan), 0);
    case RequestKind::write:
      return if_valid(is_range(request, plan), request.operand);
    case RequestKind::read:
      return if_valid(is_range(request, plan), 0);
    case RequestKind::atomic:
      return if_valid(is_atomic(request, plan), operand_bytes(request));
    case RequestKind::message:
      return if_valid(is_message(request), request.operand);
    case RequestKind::pass_to_device:
    case RequestKind::pass_to_arena:
      return if_valid(is_pass(request, payload, plan), request.operand * sizeof(PackedRun));
    case RequestKind::allocate:
    case RequestKind::release:
      return if_valid(request.target().is_arena(), 0);
    case RequestKind::accumulate:
      if (!has_elements(request, payload)) return std::nullopt;
      break;
    case RequestKind::put_packed:
    case RequestKind::get_packed:
      break;
    default:
      return std::nullopt;
  }
  const auto bytes = bytes_of_runs(request.operand, payload, limit_of(request, plan), max_write);
  if (!bytes) return std::nullopt;
  const std::size_t runs = request.operand * sizeof(PackedRun);
  return runs + (request.kind == RequestKind::get_packed ? 0 : *bytes);
}

bool is_of_job(std::uint32_t process, const NodePlan& plan) {
  return is_agent(process) ? node_of_agent(process) < plan.node_slots() : process < plan.capacity();
}

bool is_plausible(const Control& control, std::size_t payload_size, const NodePlan& plan) {
  const bool of_rank = !is_agent(control.from);
  if (!is_of_job(control.from, plan) || payload_size != control.size) return false;
  switch (control.kind) {
    case MessageKind::hello:
      return payload_size > 0 && payload_size <= NodeInfo::longest_address;
    case MessageKind::beat:
    case MessageKind::ask:
      return payload_size == 0 && !of_rank;
    case MessageKind::report:
    case MessageKind::alarm:
      return payload_size <= report::longest_text && !of_rank &&
             (control.flags & ~report::all_flags) == 0;
    default:
      return false;
  }
}

}  // namespace

std::uint64_t protocol_fingerprint() {
  constexpr std::uint64_t messages = fingerprint_of(Messages{});
  return Hash()
      .add(memory_fingerprint)
      .add(messages)
      .add(agent_bit)
      .add(incarnation_shift)
      .add(max_runs)
      .add(max_write)
      .add(longest_pass)
      .add(longest_results)
      .add(longest_message)
      .add(longest_gathered)
      .value();
}

PackedRun ReceivedRequest::run(std::size_t i) const {
  return *read<PackedRun>(payload.subspan(i * sizeof(PackedRun)));
}

std::optional<ReceivedControl> read_control(Bytes bytes, std::uint64_t tag, const NodePlan& plan) {
  std::optional<Control> control = read<Control>(bytes);
  if (!control || control->tag != tag) return std::nullopt;
  const Bytes payload = bytes.subspan(sizeof(Control));
  const std::uint32_t from = std::exchange(control->from, process_in(control->from));
  if (!is_plausible(*control, payload.size(), plan)) return std::nullopt;
  return ReceivedControl{*control, payload, incarnation_in(from)};
}

std::optional<ReceivedBatch> read_batch(Bytes bytes, std::uint64_t tag, const NodePlan& plan) {
  std::optional<Batch> batch = read<Batch>(bytes);
  if (!batch || batch->tag != tag || batch->kind != MessageKind::batch) return std::nullopt;
  const std::uint32_t from = std::exchange(batch->from, process_in(batch->from));
  if (batch->from >= plan.capacity() || batch->node != plan.node) return std::nullopt;
  return ReceivedBatch{*batch, bytes.subspan(sizeof(Batch)), incarnation_in(from)};
}

std::optional<ReceivedRequest> read_request(Bytes requests, const NodePlan& plan) {
  const std::optional<Request> request = read<Request>(requests);
  if (!request || !plan.node_ranks().holds(request->target().rank)) return std::nullopt;
  if (index(request->target().id) >= max_spaces) return std::nullopt;
  const Bytes rest = requests.subspan(sizeof(Request));
  const std::optional<std::size_t> size = size_after(*request, rest, plan);
  if (!size || *size > rest.size()) return std::nullopt;
  return ReceivedRequest{*request, rest.first(*size)};
}

std::optional<ReceivedReply> read_reply(Bytes bytes, std::uint64_t tag, std::uint32_t me,
                                        std::uint32_t nodes) {
  const std::optional<Reply> reply = read<Reply>(bytes);
  if (!reply || reply->kind != MessageKind::reply) return std::nullopt;
  if (reply->tag != tag || reply->to != me || reply->node >= nodes) return std::nullopt;
  const Bytes results = bytes.subspan(sizeof(Reply));
  if (results.size() != reply->size) return std::nullopt;
  return ReceivedReply{*reply, results};
}

std::optional<std::uint32_t> addressee(Bytes bytes, std::uint64_t tag) {
  const std::optional<MessageHeader> head = read<MessageHeader>(bytes);
  if (!head || head->tag != tag) return std::nullopt;
  if (head->kind != MessageKind::reply && head->kind != MessageKind::message) return std::nullopt;
  return process_in(head->to);
}

std::optional<ReceivedMessage> read_message(Bytes bytes, std::uint64_t tag, std::uint32_t me,
                                            const NodePlan& plan) {
  const std::optional<MessageHeader> head = read<MessageHeader>(bytes);
  if (!head || head->tag != tag || head->kind != MessageKind::message) return std::nullopt;
  const Bytes body = bytes.subspan(sizeof(MessageHeader));
  const std::uint32_t from = process_in(head->from);
  if (from >= plan.capacity() || head->to != me || body.size() > longest_message)
    return std::nullopt;
  return ReceivedMessage{Rank(from), head->number, body, incarnation_in(head->from)};
}

}  // namespace gondwana::remote
