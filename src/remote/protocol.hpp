// The messages between ranks and node agents, without the data of large puts and gets. They have
// native byte order, because every node runs the same build (see protocol_fingerprint).
//
//   rank  -> agent  Hello    the first message, followed by the address for replies
//                   Batch    followed by Requests, each followed by its bytes. A request stores a
//                            word, writes or returns contiguous or strided bytes, adds to
//                            elements, performs an atomic operation, or allocates or frees a block
//                            of a remote heap. Batches are numbered. The agent executes all
//                            requests in order.
//                   Batch    of messages to one rank, which the agent passes on. A rank sends it to
//                            the receiver directly unless it has left it open.
//   agent -> rank   Reply    all batches up to this number are executed. The results of the last
//                            one follow. A reply with number 0 answers a Hello.
//   agent -> agent  Hello; Beat: a Reply must follow
//                   Ask: do your ranks wait? A Report answers. Alarm: why the job is over
//   rank  -> rank   MessageHeader  followed by bytes for the receiver
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "core/longest_medium.hpp"
#include "core/structure_list.hpp"
#include "core/types.hpp"
#include "memory/layout.hpp"
#include "network/message_limit.hpp"
#include "operations/accumulate.hpp"
#include "operations/atomic_op.hpp"
#include "operations/strided_run.hpp"

namespace gondwana::remote {

// Every message begins with the tag and its kind.
enum class MessageKind : std::uint32_t {
  hello = 0x80,
  beat,
  ask,
  report,
  alarm,
  batch,
  reply,
  message
};

// A message to an agent that carries no requests: hello, beat, ask, report or alarm.
struct Control {
  std::uint64_t tag = 0;  // the job's secret
  MessageKind kind = MessageKind::hello;
  std::uint32_t from = 0;       // see number_of()
  std::uint32_t number = 0;     // of a beat; ask, report: round
  std::uint32_t flags = 0;      // of a report
  std::uint64_t size = 0;       // bytes that follow: hello: address; report, alarm: text
  std::uint64_t print = 0;      // report: Stillness::print
  std::uint64_t in_flight = 0;  // report: NodeSnapshot::messages_in_flight
};

struct Batch {
  std::uint64_t tag = 0;
  MessageKind kind = MessageKind::batch;
  std::uint32_t from = 0;  // a rank, see number_of()
  // The number among the batches of this process to this node, starting at 1. For messages: the
  // incarnation of their receiver.
  std::uint32_t number = 0;
  std::uint32_t node = 0;  // the receiving node
  // The changes of the roster that the sender heeds, see Transport::heed(). Requests to a
  // process that died later are dropped.
  std::uint32_t heeded = 0;
  std::uint32_t zero = 0;
};

enum class RequestKind : std::uint8_t {
  store,
  write,
  read,
  put_packed,
  get_packed,
  accumulate,
  atomic,
  message,
  pass_to_device,
  pass_to_arena,
  allocate,
  release
};

// The encoding of a rank's space.
constexpr std::uint32_t target_of(Space space) {
  return index(space.rank) | index(space.id) << rank_bits;
}

// One operation in a batch.
struct Request {
  RequestKind kind = RequestKind::store;
  AtomicOp op = AtomicOp::fetch;
  AtomicType type = AtomicType::uint64;
  // store: 1, 2, 4 or 8; atomic: 0 if the old value is not needed; accumulate: an AccumulateType.
  std::uint8_t size = 0;
  std::uint32_t to = 0;  // target_of() a space of a rank of the node; message: the rank
  // Offset in that space. message: MessageHeader::number. pass: offset in the rank's arena of the
  // contiguous bytes of all runs. allocate: the BlockOwner. release: offset of the block.
  std::uint64_t offset = 0;
  // store: the word. write, read, message: number of bytes. put_packed, get_packed, accumulate,
  // pass: number of PackedRuns that follow. atomic: the operand. allocate: bytes. Further data
  // follows: the bytes of a write or a message, the bytes of a put or an accumulate after all runs,
  // the second operand of a compare_swap.
  std::uint64_t operand = 0;

  constexpr Space target() const {
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): only the arena's has a name
    return {Rank(to % (1U << rank_bits)), SpaceId(to >> rank_bits)};
  }
};

namespace report {
inline constexpr std::uint32_t is_still = 1;
inline constexpr std::uint32_t any_leaves = 2;  // a rank has ended, or waits in exit
inline constexpr std::uint32_t is_gone = 4;     // all ranks have ended, and the agent ends
inline constexpr std::uint32_t all_flags = is_still | any_leaves | is_gone;
inline constexpr std::size_t longest_text = 512;
}  // namespace report

// Pieces of one size with a constant stride in the space of the target. The bytes of a put follow
// all runs.
struct PackedRun {
  std::uint64_t offset = 0;  // of the first piece
  std::int64_t stride = 0;   // from the start of one piece to the start of the next
  std::uint32_t size = 0;    // bytes of each piece
  std::uint32_t count = 0;

  constexpr std::uint64_t bytes() const { return std::uint64_t{size} * count; }
};

constexpr std::size_t max_write = longest_medium;
constexpr std::size_t longest_pass = std::size_t{1} << 20;
constexpr std::size_t longest_request = sizeof(Request) + max_runs * sizeof(PackedRun) + max_write;
constexpr std::size_t longest_batch = sizeof(Batch) + longest_request;
constexpr std::size_t longest_results = max_write;  // of one batch

// The result of an atomic operation is a word, whatever its width. So is that of an allocate, the
// offset of the block or 0, and of a release, a RemoteHeap::Release.
using ResultWord = std::uint64_t;

struct Reply {
  std::uint64_t tag = 0;
  MessageKind kind = MessageKind::reply;
  std::uint32_t to = 0;      // the requesting process: Batch::from, Control::from
  std::uint32_t node = 0;    // the replying node
  std::uint32_t number = 0;  // this batch and all earlier ones are executed
  std::uint64_t size = 0;    // bytes of results that follow
};

struct MessageHeader {
  std::uint64_t tag = 0;
  MessageKind kind = MessageKind::message;
  std::uint32_t to = 0;  // ranks, see number_of()
  std::uint32_t from = 0;
  std::uint32_t number = 0;  // among the messages of this pair, starting at 1
};

constexpr std::size_t longest_message = longest_medium + 512;  // without its header
constexpr std::size_t longest_gathered = 4 * 1024;             // longest message in a batch

// The kinds of messages between ranks. Each begins with this header.
enum class ContentKind : std::uint16_t { request, reply, update, receipt, notice };

struct ContentHeader {
  ContentKind kind;
  std::uint16_t generation = 0;  // of the sender's engine
  std::uint32_t taken = 0;       // credits of the receiver that the sender has freed
  std::uint32_t bytes = 0;       // of the body
};

// An active message. Its words are aligned to 8 bytes, as in an inbox. The body follows.
struct ActiveMessage {
  ContentHeader head;
  InboxMessage message;
};

// Writes the following bytes to the receiver's arena, and then a word.
struct MemoryUpdate {
  ContentHeader head;
  std::uint32_t zero;
  std::uint64_t offset;
  std::uint64_t word_offset;
  std::uint64_t word;
};
static_assert(offsetof(ActiveMessage, message) % 8 == 4 && offsetof(MemoryUpdate, offset) % 8 == 0);
static_assert(longest_message >=
              std::max(sizeof(ActiveMessage), sizeof(MemoryUpdate)) + longest_medium);

constexpr std::size_t longest_packet =
    std::max(longest_batch, sizeof(MessageHeader) + longest_message);
static_assert(sizeof(Reply) + longest_results <= longest_packet);
static_assert(longest_packet <= message_limit);

// The network carries nothing else. The fingerprint covers this list. A message that is not in it
// does not compile.
using Messages = StructureList<Control, Batch, Request, PackedRun, Reply, MessageHeader,
                               ContentHeader, ActiveMessage, MemoryUpdate>;

template <typename T>
concept Message = Messages::has<T>;

// Returns the address after the message.
template <Message T>
std::byte* write(std::byte* to, const T& message) {
  std::memcpy(to, &message, sizeof(message));
  return to + sizeof(message);
}

// Nothing if there are too few bytes.
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

// Nodes with different values must not communicate, because each would misread the other.
std::uint64_t protocol_fingerprint();

// A process is a rank or the agent of a node. The numbers of agents differ from those of ranks,
// however many ranks the job has.
constexpr std::uint32_t agent_bit = std::uint32_t{1} << 31;

constexpr std::uint32_t agent_number(std::uint32_t node) {
  return agent_bit | node;
}
constexpr bool is_agent(std::uint32_t process) {
  return (process & agent_bit) != 0;
}
constexpr std::uint32_t node_of_agent(std::uint32_t process) {
  return process & ~agent_bit;
}

// Messages name a process in one of its incarnations. A process that replaces an ended one is the
// next incarnation. Messages from or to earlier ones are dropped, and all numbering restarts.
constexpr std::uint32_t incarnation_shift = 20;  // above the bits of ranks and nodes
constexpr std::uint32_t max_incarnations = std::uint32_t{1} << 11;

constexpr std::uint32_t number_of(std::uint32_t process, std::uint32_t incarnation) {
  return process | incarnation << incarnation_shift;
}
constexpr std::uint32_t incarnation_in(std::uint32_t number) {
  return number >> incarnation_shift & (max_incarnations - 1);
}
constexpr std::uint32_t process_in(std::uint32_t number) {
  return number & ~number_of(0, max_incarnations - 1);
}

// Marks a record in the ring from a rank to the agent that carries its messages. With this bit, the
// record refers to a batch in a slot of the rank; without it, it is a message to a node.
constexpr std::uint32_t slot_bit = std::uint32_t{1} << 31;

// In received data, processes and incarnations are separate.
struct ReceivedControl {
  Control control;
  Bytes payload;                  // the address of a hello, or a text
  std::uint32_t incarnation = 0;  // of the sender
};

// Nothing unless the bytes are valid from a process of this job to an agent.
std::optional<ReceivedControl> read_control(Bytes bytes, std::uint64_t tag, const NodePlan& plan);

struct ReceivedBatch {
  Batch batch;
  Bytes requests;
  std::uint32_t incarnation = 0;  // of the sender
};

// Nothing unless the bytes are valid from a rank of this job to the agent of this node, or to a
// rank.
std::optional<ReceivedBatch> read_batch(Bytes bytes, std::uint64_t tag, const NodePlan& plan);

struct ReceivedRequest {
  Request request;
  Bytes payload;  // the bytes of a write or a message, runs and bytes, or a second operand

  std::size_t size() const { return sizeof(Request) + payload.size(); }
  // For a put_packed, a get_packed, an accumulate or a pass.
  std::size_t runs() const { return request.operand; }
  PackedRun run(std::size_t i) const;
  AccumulateType element() const { return static_cast<AccumulateType>(request.size); }
  Bytes packed() const { return payload.subspan(runs() * sizeof(PackedRun)); }
};

// The first of the requests. Nothing if it is malformed. Otherwise it may be executed after one
// further check: a space other than the arena must exist and be long enough.
std::optional<ReceivedRequest> read_request(Bytes requests, const NodePlan& plan);

struct ReceivedReply {
  Reply reply;
  Bytes results;
};

// Nothing unless the bytes are a reply of a node of this job to `me`, see number_of().
std::optional<ReceivedReply> read_reply(Bytes bytes, std::uint64_t tag, std::uint32_t me,
                                        std::uint32_t nodes);

struct ReceivedMessage {
  Rank from;
  std::uint32_t number;
  Bytes bytes;
  std::uint32_t incarnation = 0;  // of the sender
};

// The receiver of a reply or message of this job; nothing if the bytes are neither.
std::optional<std::uint32_t> addressee(Bytes bytes, std::uint64_t tag);

// Nothing unless the bytes are a message of this job to `me`, see number_of().
std::optional<ReceivedMessage> read_message(Bytes bytes, std::uint64_t tag, std::uint32_t me,
                                            const NodePlan& plan);

}  // namespace gondwana::remote
