// Bytes from a socket of the network: any bytes are refused, or are a request that is safe to
// execute without further checks.
#include <cstring>
#include <span>
#include <vector>

#include "fuzz/choices.hpp"
#include "fuzz/target.hpp"
#include "memory/node_entry.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {
namespace {

constexpr std::uint64_t job_tag = 0x1122334455667788;
constexpr NodePlan plan{{.ranks = 3, .first = 2, .node = 1, .nodes = 3, .job_ranks = 9},
                        std::size_t{1} << 24};

std::size_t size_at_target(const ReceivedRequest& received) {
  switch (received.request.kind) {
    case RequestKind::write:
    case RequestKind::read:
      return received.request.operand;
    case RequestKind::store:
      return received.request.size;
    default:
      return width(received.request.type);
  }
}

// Each piece is in the arena, and the byte count matches the runs.
void are_harmless_runs(const ReceivedRequest& received) {
  const auto arena = static_cast<std::int64_t>(plan.arena_size());
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < received.runs(); ++i) {
    const PackedRun run = received.run(i);
    for (std::int64_t piece = 0; piece < std::int64_t{run.count}; ++piece) {
      const std::int64_t at = static_cast<std::int64_t>(run.offset) + piece * run.stride;
      GONDWANA_ASSERT(at >= 0 && at <= arena - std::int64_t{run.size}, run.offset);
    }
    bytes += run.bytes();
  }
  GONDWANA_ASSERT(bytes > 0 && bytes <= max_write, bytes);
  const bool is_put = received.request.kind == RequestKind::put_packed;
  GONDWANA_ASSERT(received.packed().size() == (is_put ? bytes : 0), bytes);
}

// Data that moves between a device and an arena is inside the arena. The owner's table has the size
// of the device's space.
void is_harmless_in_space(const ReceivedRequest& received) {
  const Request& request = received.request;
  if (request.kind != RequestKind::pass_to_device && request.kind != RequestKind::pass_to_arena)
    return;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < received.runs(); ++i) bytes += received.run(i).bytes();
  GONDWANA_ASSERT(bytes > 0 && bytes <= longest_pass, bytes);
  GONDWANA_ASSERT(request.offset <= plan.arena_size() - bytes, request.offset);
}

void is_harmless(const ReceivedRequest& received) {
  const Request& request = received.request;
  GONDWANA_ASSERT(plan.node_ranks().holds(request.target().rank), request.to);
  if (!request.target().is_arena()) return is_harmless_in_space(received);
  if (request.kind == RequestKind::put_packed || request.kind == RequestKind::get_packed)
    return are_harmless_runs(received);
  if (request.kind == RequestKind::message) {
    GONDWANA_ASSERT(received.payload.size() == request.operand, request.operand);
    GONDWANA_ASSERT(request.operand <= longest_gathered, request.operand);
    return;
  }
  if (request.kind == RequestKind::allocate || request.kind == RequestKind::release) return;
  const std::size_t size = size_at_target(received);
  GONDWANA_ASSERT(size > 0 && size <= plan.arena_size(), size);
  GONDWANA_ASSERT(request.offset <= plan.arena_size() - size, request.offset);
  if (request.kind == RequestKind::write || request.kind == RequestKind::read) return;
  GONDWANA_ASSERT(request.offset % size == 0, request.offset);
  if (request.kind == RequestKind::atomic)
    GONDWANA_ASSERT(find_executor(request.op, request.type) != nullptr, request.size);
}

void take_requests(const ReceivedBatch& received) {
  GONDWANA_ASSERT(received.batch.from < plan.job_ranks, received.batch.from);
  for (Bytes rest = received.requests; !rest.empty();) {
    const auto request = read_request(rest, plan);
    if (!request) return;
    is_harmless(*request);
    GONDWANA_ASSERT(request->size() <= rest.size(), rest.size());
    rest = rest.subspan(request->size());
  }
}

void take(const ReceivedControl& received) {
  const std::uint32_t from = received.control.from;
  GONDWANA_ASSERT(is_agent(from) ? node_of_agent(from) < plan.nodes : from < plan.job_ranks, from);
  GONDWANA_ASSERT(received.payload.size() <= NodeInfo::longest_address, received.payload.size());
}

void take(Bytes bytes) {
  if (const auto batch = read_batch(bytes, job_tag, plan)) take_requests(*batch);
  if (const auto control = read_control(bytes, job_tag, plan)) take(*control);
  if (const auto answer = read_reply(bytes, job_tag, 2, plan.nodes))
    GONDWANA_ASSERT(
        answer->reply.node < plan.nodes && answer->results.size() + sizeof(Reply) == bytes.size(),
        answer->reply.node);
  const auto to = addressee(bytes, job_tag);
  if (const auto message = read_message(bytes, job_tag, 2, plan)) {
    GONDWANA_ASSERT(to == 2U && index(message->from) < plan.job_ranks, index(message->from));
    GONDWANA_ASSERT(message->bytes.size() + sizeof(MessageHeader) == bytes.size(), bytes.size());
  }
}

}  // namespace
}  // namespace gondwana::remote

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gondwana;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  remote::take(bytes);
  // The same from a sender that knows the tag.
  std::vector<std::byte> known(bytes.begin(), bytes.end());
  if (known.size() >= sizeof(remote::job_tag))
    std::memcpy(known.data(), &remote::job_tag, sizeof(remote::job_tag));
  remote::take(known);
  return 0;
}
