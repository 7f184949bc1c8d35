// What ranks and node agents say to each other over the network, beside the bytes that puts and
// gets move: fixed sizes, native byte order (every node runs the same build, see
// protocol_fingerprint).
//
//   rank  -> agent  Request   store a word, write the bytes behind it, in one piece or spread over
//                             many, send those of many pieces, do an atomic operation; each
//                             numbered, in order
//   rank  -> agent  Hello     the first of all: where answers go, an address behind the request
//   agent -> rank   Reply     all requests up to this number are done, but that bytes they ask for
//                             come with replies of their own; the last one's result
//   agent -> agent  Hello, Beat: are you there? and a Reply
//                   Ask: does your node wait for others? and a Report; Alarm: why the job is over
//   rank  -> rank   MessageHeader  bytes for who listens there, behind it
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "core/types.hpp"
#include "memory/layout.hpp"
#include "network/message_limit.hpp"
#include "operations/atomic_op.hpp"
#include "operations/strided_run.hpp"

namespace gondwana::remote {

enum class RequestKind : std::uint8_t {
  hello,
  store,
  atomic,
  beat,
  write,
  put_packed,
  get_packed,
  ask,
  report,
  alarm
};

struct Request {
  std::uint64_t tag = 0;  // of the job: nobody else knows it
  RequestKind kind = RequestKind::hello;
  AtomicOp op = AtomicOp::fetch;
  AtomicType type = AtomicType::uint64;
  // store: 1, 2, 4 or 8; atomic: 0 where nobody wants the value from before; report: ReportFlags.
  std::uint8_t size = 0;
  std::uint32_t from = 0;  // a rank; of an agent, job_ranks and its node
  std::uint32_t to = 0;    // a rank of the node
  // Of the requests of this rank to this node; ask, report: the round.
  std::uint32_t sequence = 0;
  std::uint64_t offset = 0;  // in the arena of `to`; report: Stillness::print
  // hello: bytes of the address; write: how many bytes; spread, gather: how many Rows follow;
  // report, alarm: how many packets.
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;  // report: NodeLook::messages_in_flight
};

namespace report {
inline constexpr std::uint8_t is_still = 1;
inline constexpr std::uint8_t any_leaves = 2;  // a rank has ended, or waits in exit
inline constexpr std::uint8_t is_gone = 4;     // all ranks have ended, and the agent ends
inline constexpr std::uint8_t all_flags = is_still | any_leaves | is_gone;
inline constexpr std::size_t longest_text = 512;
}  // namespace report

// Pieces of one size at equal steps, in the arena that a spread or a gather goes to. What is put
// lies behind all rows.
struct Row {
  std::uint64_t offset = 0;  // of the first
  std::int64_t step = 0;     // from the start of one to the start of the next
  std::uint32_t size = 0;    // bytes of each
  std::uint32_t count = 0;

  constexpr std::uint64_t bytes() const { return std::uint64_t{size} * count; }
};

constexpr std::size_t longest_write = 64 * 1024;
constexpr std::size_t longest_request = sizeof(Request) + most_runs * sizeof(Row) + longest_write;

// Letters begin alike: the tag, the kind, and whom they are for. No kind is that of a request. The
// first three are replies, which bring nothing, a word, or the bytes behind them.
enum class PacketKind : std::uint32_t { done = 0x80, word, bytes, message };

struct Reply {
  std::uint64_t tag = 0;
  PacketKind kind = PacketKind::done;
  std::uint32_t to = 0;        // who has asked: Request::from
  std::uint32_t node = 0;      // that answers
  std::uint32_t sequence = 0;  // this request is done, and all before it
  std::uint64_t value = 0;     // the word, or how many bytes follow
};

struct MessageHeader {
  std::uint64_t tag = 0;
  PacketKind kind = PacketKind::message;
  std::uint32_t to = 0;  // ranks
  std::uint32_t from = 0;
  std::uint32_t number = 0;  // of the messages of this pair, from 1 on
};

constexpr std::size_t longest_message = 64 * 1024 + 512;  // behind its head

// What messages is for, and what all of it begins with.
enum class ContentKind : std::uint16_t { request, reply, update, receipt, notice };

struct ContentHeader {
  ContentKind sort;
  std::uint16_t generation = 0;  // of the sender's engine
  std::uint32_t taken = 0;       // requests of the receiver's that its sender has handled meanwhile
  std::uint32_t bytes = 0;       // of the body
};

// An active message; its words lie on 8 bytes, as in an inbox. The body follows.
struct ActiveMessage {
  ContentHeader head;
  InboxMessage message;
};

// Bytes for the arena of the receiver, which follow, and then a word.
struct MemoryUpdate {
  ContentHeader head;
  std::uint32_t zero;
  std::uint64_t offset;
  std::uint64_t word_offset;
  std::uint64_t word;
};
static_assert(offsetof(ActiveMessage, message) % 8 == 4 && offsetof(MemoryUpdate, offset) % 8 == 0);

constexpr std::size_t longest_packet =
    std::max(longest_request, sizeof(MessageHeader) + longest_message);
static_assert(longest_packet <= message_limit);

// Nothing else goes over the network: a message that is not in the list is not in the fingerprint,
// and does not compile.
using Messages =
    StructureList<Request, Row, Reply, MessageHeader, ContentHeader, ActiveMessage, MemoryUpdate>;

template <typename T>
concept Message = Messages::has<T>;

// Where what follows the message goes.
template <Message T>
std::byte* write(std::byte* to, const T& message) {
  std::memcpy(to, &message, sizeof(message));
  return to + sizeof(message);
}

// Nothing where there are too few bytes.
template <Message T>
std::optional<T> read(Bytes bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T message;
  std::memcpy(&message, bytes.data(), sizeof(message));
  return message;
}

template <Message T>
Bytes bytes_of(const T& message) {
  return std::as_bytes(std::span(&message, 1));
}

// Nodes in which this differs must not talk to each other, or each would misread the other.
consteval std::uint64_t fingerprint_of_protocol() {
  return Fingerprint()
      .add(memory_fingerprint)
      .add(Messages::fingerprint)
      .add(most_runs)
      .add(longest_write)
      .add(longest_message)
      .value();
}
inline constexpr std::uint64_t protocol_fingerprint = fingerprint_of_protocol();

// The words of an agent of a node stand behind those of all ranks.
constexpr std::uint32_t agent_number(const NodeShare& share, std::uint32_t node) {
  return share.job_ranks + node;
}

struct ReceivedRequest {
  Request request;
  Bytes behind;  // the address of a hello, the bytes of a write, rows and bytes

  // Of a spread or a gather.
  std::size_t rows() const { return request.operand; }
  Row row(std::size_t i) const;
  Bytes packed() const { return behind.subspan(rows() * sizeof(Row)); }
};

// Nothing where the bytes are not a request that a process of this job sends to the agent of this
// node: what may be executed without looking further.
std::optional<ReceivedRequest> read_request(Bytes bytes, std::uint64_t tag, const NodePlan& plan);

struct ReceivedReply {
  Reply reply;
  Bytes behind;  // the bytes that were asked for
};

// Nothing where the bytes are not a reply of a node of this job to `me`: a rank, or as in a
// Request.
std::optional<ReceivedReply> read_reply(Bytes bytes, std::uint64_t tag, std::uint32_t me,
                                        std::uint32_t nodes);

struct ReceivedMessage {
  Rank from;
  std::uint32_t number;
  Bytes bytes;
};

// Whom a packet of this job is for; nothing where the bytes are none.
std::optional<std::uint32_t> addressee(Bytes bytes, std::uint64_t tag);

// Nothing where the bytes are not messages of this job to `me`.
std::optional<ReceivedMessage> read_message(Bytes bytes, std::uint64_t tag, Rank me,
                                            const NodePlan& plan);

}  // namespace gondwana::remote
