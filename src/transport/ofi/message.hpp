// What ranks and node agents say to each other over the network, beside the bytes that puts and
// gets move: fixed sizes, native byte order (every node runs the same build, see NodeCard::layout).
//
//   rank  -> agent  Request   store a word, do an atomic operation; each numbered, in order
//   rank  -> agent  Hello     the first of all: where answers go, an address behind the request
//   agent -> rank   Reply     all requests up to this number are done; the last one's result
//   agent -> agent  Hello, Beat: are you there? and a Reply
#pragma once

#include <cstdint>
#include <optional>

#include "core/node_plan.hpp"
#include "core/types.hpp"
#include "transport/atomic_op.hpp"

namespace gondwana::ofi {

enum class RequestKind : std::uint8_t { hello, store, atomic, beat };

struct Request {
  std::uint64_t tag = 0;  // of the job: nobody else knows it
  RequestKind kind = RequestKind::hello;
  AtomicOp op = AtomicOp::fetch;
  AtomicType type = AtomicType::uint64;
  // store: 1, 2, 4 or 8; hello: bytes of the address that follows; atomic: 0 where nobody wants
  // the value from before.
  std::uint8_t size = 0;
  std::uint32_t from = 0;      // a rank; of an agent, job_ranks and its node
  std::uint32_t to = 0;        // a rank of the node
  std::uint32_t sequence = 0;  // of the requests of this rank to this node
  std::uint64_t offset = 0;    // in the arena of `to`
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
};

struct Reply {
  std::uint64_t tag = 0;
  std::uint32_t node = 0;      // that answers
  std::uint32_t sequence = 0;  // this request is done, and all before it
  std::uint64_t value = 0;     // its result; of an atomic operation
  std::uint32_t has_value = 0;
  std::uint32_t zero = 0;
};

// The words of an agent of a node stand behind those of all ranks.
constexpr std::uint32_t agent_number(const NodeShare& share, std::uint32_t node) {
  return share.job_ranks + node;
}

struct ReceivedRequest {
  Request request;
  Bytes address;  // of a hello
};

// Nothing where the bytes are not a request that a process of this job sends to the agent of this
// node: what may be executed without looking further.
std::optional<ReceivedRequest> read_request(Bytes bytes, std::uint64_t tag, const NodePlan& plan);

std::optional<Reply> read_reply(Bytes bytes, std::uint64_t tag, std::uint32_t nodes);

}  // namespace gondwana::ofi
