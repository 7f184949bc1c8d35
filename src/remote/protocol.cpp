#include "remote/protocol.hpp"

#include <algorithm>
#include <cstddef>

#include "memory/node_entry.hpp"

namespace gondwana::remote {
namespace {

static_assert(offsetof(Reply, kind) == offsetof(MessageHeader, kind) &&
                  offsetof(Reply, to) == offsetof(MessageHeader, to) &&
                  offsetof(Request, kind) == offsetof(MessageHeader, kind),
              "packets begin alike, and where a request has its kind");
static_assert(sizeof(Request) == 48 && sizeof(Row) == 24 && sizeof(Reply) == 32 &&
                  sizeof(MessageHeader) == 24,
              "no byte that nobody writes");

// Whether a word lies in an arena, at a multiple of its size.
bool is_in_arena(std::uint64_t offset, std::size_t size, const NodePlan& plan) {
  return offset <= plan.arena_size() - size && offset % size == 0;
}

bool is_store(const Request& request, const NodePlan& plan) {
  const bool is_word =
      request.size == 1 || request.size == 2 || request.size == 4 || request.size == 8;
  return is_word && is_in_arena(request.offset, request.size, plan);
}

bool is_write(const Request& request, std::size_t behind, const NodePlan& plan) {
  return behind > 0 && behind <= longest_write && behind == request.operand &&
         request.offset <= plan.arena_size() - behind;
}

// Whether all pieces lie in the arena. No step exceeds the arena and no count exceeds
// longest_write, so nothing overflows.
bool is_row(const Row& row, const NodePlan& plan) {
  const auto arena = static_cast<std::int64_t>(plan.arena_size());
  if (row.bytes() == 0 || row.bytes() > longest_write || row.offset > plan.arena_size())
    return false;
  if (row.step > arena || row.step < -arena) return false;
  const auto first = static_cast<std::int64_t>(row.offset);
  const std::int64_t last = first + row.step * (std::int64_t{row.count} - 1);
  return std::min(first, last) >= 0 && std::max(first, last) + row.size <= arena;
}

// The bytes of all rows; nothing if a row is invalid or they are too many.
std::optional<std::uint64_t> bytes_of_rows(const ReceivedRequest& received, const NodePlan& plan) {
  const std::uint64_t rows = received.request.operand;
  if (rows == 0 || rows > most_runs || received.behind.size() < rows * sizeof(Row))
    return std::nullopt;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const Row row = received.row(i);
    if (!is_row(row, plan)) return std::nullopt;
    bytes += row.bytes();
  }
  return bytes <= longest_write ? std::optional(bytes) : std::nullopt;
}

bool is_put_packed(const ReceivedRequest& received, const NodePlan& plan) {
  const std::optional<std::uint64_t> bytes = bytes_of_rows(received, plan);
  return bytes && received.packed().size() == *bytes;
}

bool is_get_packed(const ReceivedRequest& received, const NodePlan& plan) {
  return bytes_of_rows(received, plan) && received.packed().empty();
}

bool is_atomic(const Request& request, const NodePlan& plan) {
  return static_cast<std::size_t>(request.op) < atomic_ops &&
         static_cast<std::size_t>(request.type) < atomic_types &&
         find_executor(request.op, request.type) != nullptr &&
         is_in_arena(request.offset, width(request.type), plan);
}

bool is_plausible(const ReceivedRequest& received, const NodePlan& plan) {
  const Request& request = received.request;
  const std::size_t behind = received.behind.size();
  const bool of_rank = request.from < plan.job_ranks;
  if (request.from >= plan.job_ranks + plan.nodes) return false;
  switch (request.kind) {
    case RequestKind::hello:
      return behind == request.operand && behind > 0 && behind <= NodeInfo::longest_address;
    case RequestKind::store:
      return behind == 0 && of_rank && plan.holds(Rank(request.to)) && is_store(request, plan);
    case RequestKind::atomic:
      return behind == 0 && of_rank && plan.holds(Rank(request.to)) && is_atomic(request, plan);
    case RequestKind::write:
      return of_rank && plan.holds(Rank(request.to)) && is_write(request, behind, plan);
    case RequestKind::put_packed:
      return of_rank && plan.holds(Rank(request.to)) && is_put_packed(received, plan);
    case RequestKind::get_packed:
      return of_rank && plan.holds(Rank(request.to)) && is_get_packed(received, plan);
    case RequestKind::beat:
    case RequestKind::ask:
      return behind == 0 && !of_rank;
    case RequestKind::report:
    case RequestKind::alarm:
      return behind == request.operand && behind <= report::longest_text && !of_rank &&
             (request.size & ~report::all_flags) == 0;
  }
  return false;
}

}  // namespace

Row ReceivedRequest::row(std::size_t i) const {
  return *read<Row>(behind.subspan(i * sizeof(Row)));
}

std::optional<ReceivedRequest> read_request(Bytes bytes, std::uint64_t tag, const NodePlan& plan) {
  const std::optional<Request> request = read<Request>(bytes);
  if (!request) return std::nullopt;
  ReceivedRequest received{*request, bytes.subspan(sizeof(Request))};
  if (received.request.tag != tag) return std::nullopt;
  if (!is_plausible(received, plan)) return std::nullopt;
  return received;
}

std::optional<ReceivedReply> read_reply(Bytes bytes, std::uint64_t tag, std::uint32_t me,
                                        std::uint32_t nodes) {
  const std::optional<Reply> found = read<Reply>(bytes);
  if (!found) return std::nullopt;
  ReceivedReply received{*found, bytes.subspan(sizeof(Reply))};
  const Reply& reply = received.reply;
  if (reply.tag != tag || reply.to != me || reply.node >= nodes) return std::nullopt;
  if (reply.kind < PacketKind::done || reply.kind > PacketKind::bytes) return std::nullopt;
  const std::uint64_t expected = reply.kind == PacketKind::bytes ? reply.value : 0;
  return received.behind.size() == expected ? std::optional(received) : std::nullopt;
}

std::optional<std::uint32_t> addressee(Bytes bytes, std::uint64_t tag) {
  const std::optional<MessageHeader> head = read<MessageHeader>(bytes);
  if (!head || head->tag != tag || head->kind < PacketKind::done ||
      head->kind > PacketKind::message)
    return std::nullopt;
  return head->to;
}

std::optional<ReceivedMessage> read_message(Bytes bytes, std::uint64_t tag, Rank me,
                                            const NodePlan& plan) {
  const std::optional<MessageHeader> head = read<MessageHeader>(bytes);
  if (!head || head->tag != tag || head->kind != PacketKind::message) return std::nullopt;
  const Bytes body = bytes.subspan(sizeof(MessageHeader));
  if (head->from >= plan.job_ranks || head->to != index(me) || body.size() > longest_message)
    return std::nullopt;
  return ReceivedMessage{Rank(head->from), head->number, body};
}

}  // namespace gondwana::remote
