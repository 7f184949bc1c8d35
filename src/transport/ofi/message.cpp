#include "transport/ofi/message.hpp"

#include <algorithm>
#include <cstring>

#include "core/node_entry.hpp"

namespace gondwana::ofi {
namespace {

static_assert(sizeof(Request) == 48 && sizeof(Reply) == 32 && sizeof(MailHead) == 24,
              "no byte that nobody writes");

// A word that lies in an arena, at a multiple of its size.
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

// All pieces lie in the arena. Strides are no longer than that, and pieces no more than bytes, so
// nothing overflows.
bool is_spread(const Request& request, std::size_t behind, const NodePlan& plan) {
  const Pieces pieces = pieces_of(request);
  const auto arena = static_cast<std::int64_t>(plan.arena_size());
  if (behind == 0 || behind > longest_write || request.offset > plan.arena_size()) return false;
  if (pieces.size == 0 || behind != std::uint64_t{pieces.size} * pieces.count) return false;
  if (pieces.stride > arena || pieces.stride < -arena) return false;
  const auto first = static_cast<std::int64_t>(request.offset);
  const std::int64_t last = first + pieces.distance();
  return std::min(first, last) >= 0 && std::max(first, last) + pieces.size <= arena;
}

bool is_atomic(const Request& request, const NodePlan& plan) {
  return static_cast<std::size_t>(request.op) < atomic_ops &&
         static_cast<std::size_t>(request.type) < atomic_types &&
         find_executor(request.op, request.type) != nullptr &&
         is_in_arena(request.offset, width(request.type), plan);
}

bool is_plausible(const Request& request, std::size_t behind, const NodePlan& plan) {
  const bool of_rank = request.from < plan.job_ranks;
  if (request.from >= plan.job_ranks + plan.nodes) return false;
  switch (request.kind) {
    case RequestKind::hello:
      return behind == request.size && behind > 0 && behind <= NodeCard::longest_address;
    case RequestKind::store:
      return behind == 0 && of_rank && plan.holds(Rank(request.to)) && is_store(request, plan);
    case RequestKind::atomic:
      return behind == 0 && of_rank && plan.holds(Rank(request.to)) && is_atomic(request, plan);
    case RequestKind::write:
      return of_rank && plan.holds(Rank(request.to)) && is_write(request, behind, plan);
    case RequestKind::spread:
      return of_rank && plan.holds(Rank(request.to)) && is_spread(request, behind, plan);
    case RequestKind::beat:
      return behind == 0 && !of_rank;
  }
  return false;
}

}  // namespace

std::optional<ReceivedRequest> read_request(Bytes bytes, std::uint64_t tag, const NodePlan& plan) {
  if (bytes.size() < sizeof(Request)) return std::nullopt;
  ReceivedRequest received;
  std::memcpy(&received.request, bytes.data(), sizeof(Request));
  received.behind = bytes.subspan(sizeof(Request));
  if (received.request.tag != tag) return std::nullopt;
  if (!is_plausible(received.request, received.behind.size(), plan)) return std::nullopt;
  return received;
}

std::optional<Reply> read_reply(Bytes bytes, std::uint64_t tag, std::uint32_t nodes) {
  if (bytes.size() != sizeof(Reply)) return std::nullopt;
  Reply reply;
  std::memcpy(&reply, bytes.data(), sizeof(Reply));
  if (reply.tag != tag || reply.kind != LetterKind::reply || reply.node >= nodes)
    return std::nullopt;
  return reply;
}

std::optional<ReceivedMail> read_mail(Bytes bytes, std::uint64_t tag, Rank me,
                                      const NodePlan& plan) {
  if (bytes.size() < sizeof(MailHead)) return std::nullopt;
  MailHead head;
  std::memcpy(&head, bytes.data(), sizeof(head));
  const Bytes body = bytes.subspan(sizeof(head));
  if (head.tag != tag || head.kind != LetterKind::mail) return std::nullopt;
  if (head.from >= plan.job_ranks || head.to != index(me) || body.size() > longest_mail)
    return std::nullopt;
  return ReceivedMail{Rank(head.from), head.number, body};
}

}  // namespace gondwana::ofi
