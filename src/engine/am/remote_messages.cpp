#include "engine/am/remote_messages.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gondwana {
namespace {

// The number of freed credits that triggers a report to their sender, unless another message
// carries it.
constexpr std::uint32_t tell_after = RemoteMessages::window / 4;

// Requests to a peer that are sent at once.
constexpr std::uint32_t max_sent_at_once = 4;

RemoteMessages::Kind kind_of(MessageClass message_class) {
  if (message_class == MessageClass::notice) return RemoteMessages::Kind::notice;
  return message_class == MessageClass::request ? RemoteMessages::Kind::request
                                                : RemoteMessages::Kind::reply;
}

constexpr std::uint32_t credits_of(std::uint32_t bytes) {
  return 1 + bytes / 1024;
}

bool needs_credit(RemoteMessages::Kind kind) {
  return kind == RemoteMessages::Kind::request || kind == RemoteMessages::Kind::notice;
}

}  // namespace

RemoteMessages::RemoteMessages(Wire& wire, std::recursive_mutex& turn, const NodeMemory& memory,
                               Rank me, std::uint32_t ranks)
    : wire_(wire),
      turn_(turn),
      memory_(memory),
      deaths_(memory),
      me_(me),
      ranks_(ranks),
      generation_(static_cast<std::uint16_t>(
          memory.page(me).legacy.engines.load(std::memory_order_relaxed))) {
  wire_->listen([this](Rank from, Bytes message) { receive(from, message); });
}

RemoteMessages::~RemoteMessages() {
  wire_->listen({});
  add(memory_.page(me_).traffic.pending, ~std::uint64_t{0} * waiting_.size());
}

// Keeps the blocks of as many buffers as one peer may fill.
void RemoteMessages::give_back(MessageBuffer& buffer) {
  constexpr std::size_t max_blocks = window;
  if (buffers_.unused() >= max_blocks) buffer.block = {};
  buffers_.give_back(buffer);
}

std::optional<Draft> RemoteMessages::try_open(Rank to, MessageClass message_class,
                                              Payload payload) {
  const std::scoped_lock turn(turn_);
  Peer& peer = peers_[index(to)];
  if (needs_credit(kind_of(message_class))) {
    // A message to a lost peer is dropped, and needs no credit.
    if (peer.credits_used + peer.replies >= window && wire_->lost(to) == nullptr)
      return std::nullopt;
    ++peer.credits_used;
  }
  MessageBuffer& buffer = buffers_.take();
  buffer.peer = to;
  buffer.state = &peer;
  buffer.packet.head = {.kind = kind_of(message_class)};
  if (payload == Payload::none) return Draft{nullptr, {}, &buffer.packet.message, {}};
  buffer.block.resize(longest_medium);
  buffer.packet.head.bytes = longest_medium;
  return Draft{nullptr, {}, &buffer.packet.message, buffer.block};
}

// Requests are batched while more than `max_sent_at_once` of this size are in flight. A program
// that waits for each request has fewer in flight. Replies are batched while requests wait for
// their handlers.
void RemoteMessages::publish(const Draft& draft) {
  const std::scoped_lock turn(turn_);
  MessageBuffer& buffer = MessageBuffer::of(*draft.message);
  Peer& peer = *buffer.state;
  Head& head = buffer.packet.head;
  if (head.bytes > 0) head.bytes = std::min(buffer.packet.message.payload_bytes, head.bytes);
  bool others_follow = !arrived_[static_cast<std::size_t>(MessageClass::request)].empty();
  if (needs_credit(head.kind)) {
    const std::uint32_t credits = credits_of(head.bytes);
    peer.credits_used += credits - 1;
    others_follow = peer.credits_used > max_sent_at_once * credits;
  }
  const Bytes body = Bytes(buffer.block).first(head.bytes);
  send(buffer.peer, peer, {head, remote::bytes_of(buffer.packet), body},
       others_follow ? Departure::may_wait : Departure::at_once);
  give_back(buffer);
}

void RemoteMessages::cancel(const Draft& draft) {
  const std::scoped_lock turn(turn_);
  MessageBuffer& buffer = MessageBuffer::of(*draft.message);
  if (needs_credit(buffer.packet.head.kind)) --buffer.state->credits_used;
  give_back(buffer);
}

// The last piece carries the word.
bool RemoteMessages::update(Rank to, const Update& update) {
  const std::scoped_lock turn(turn_);
  Peer& peer = peers_[index(to)];
  std::size_t at = 0;
  do {
    const Bytes piece =
        update.bytes.subspan(at, std::min(longest_medium, update.bytes.size() - at));
    const bool last = at + piece.size() == update.bytes.size();
    Change change{.head = {.kind = Kind::update, .bytes = static_cast<std::uint32_t>(piece.size())},
                  .zero = 0,
                  .offset = update.offset + at,
                  .word_offset = last ? update.word_offset : Update::nowhere,
                  .word = update.word};
    send(to, peer, {change.head, remote::bytes_of(change), piece}, Departure::at_once);
    at += piece.size();
  } while (at < update.bytes.size());
  return is_all_sent() && wire_->departed();
}

// Messages to one peer stay in order: none overtakes a waiting message.
void RemoteMessages::send(Rank to, Peer& peer, const Outgoing& message, Departure departure) {
  if (peer.waiting == 0 && try_send(to, peer, message, departure)) return;
  const Bytes behind = message.packet.subspan(sizeof(Head));
  Waiting& waits =
      waiting_.emplace_back(to, deaths_.place_of(to), message.head, std::vector<std::byte>());
  waits.rest.reserve(behind.size() + message.body.size());
  waits.rest.insert(waits.rest.end(), behind.begin(), behind.end());
  waits.rest.insert(waits.rest.end(), message.body.begin(), message.body.end());
  add(memory_.page(me_).traffic.pending, 1);
  ++peer.waiting;
}

// True if the message is sent, or if its receiver is lost. The wire reports the loss.
bool RemoteMessages::try_send(Rank to, Peer& peer, const Outgoing& message, Departure departure) {
  message.head.generation = generation_;
  message.head.taken = peer.owed;
  const Result<Posted> posted = wire_->send_message(to, message.packet, message.body, departure);
  if (posted && *posted == Posted::busy) return false;
  peer.owed = 0;
  return true;
}

bool RemoteMessages::is_all_sent() const {
  return std::ranges::all_of(waiting_,
                             [](const Waiting& each) { return each.head.kind == Kind::receipt; });
}

// A process that has taken the place of a dead receiver gets none of its messages.
void RemoteMessages::move_on() {
  if (waiting_.empty()) return;
  std::vector<Rank> full;
  std::erase_if(waiting_, [&](Waiting& each) {
    if (std::ranges::find(full, each.to) != full.end()) return false;
    const auto departure =
        each.head.kind == Kind::receipt ? Departure::optional : Departure::at_once;
    Peer& peer = peers_[index(each.to)];
    const bool is_late = deaths_.place_of(each.to) != each.last_death;
    if (!is_late &&
        !try_send(each.to, peer, {each.head, remote::bytes_of(each.head), each.rest}, departure)) {
      full.push_back(each.to);
      return false;
    }
    --peer.waiting;
    add(memory_.page(me_).traffic.pending, ~std::uint64_t{0});
    return true;
  });
}

// Handles a message from a member of this job. Drops malformed messages, and messages for an
// earlier engine. A later engine sends only updates, which carry their own numbers, because all
// other messages go to members that have met in it.
void RemoteMessages::receive(Rank from, Bytes message) {
  const std::optional<Head> head = remote::read<Head>(message);
  if (!head || index(from) >= ranks_) return;
  if (static_cast<std::int16_t>(head->generation - generation_) < 0) return;
  Peer& peer = peers_[index(from)];
  peer.credits_used -= std::min(peer.credits_used, head->taken);
  switch (head->kind) {
    case Kind::request:
    case Kind::reply:
    case Kind::notice:
      return keep(from, *head, message);
    case Kind::update:
      return carry_out(message);
    case Kind::receipt:
      break;
  }
}

void RemoteMessages::keep(Rank from, const Head& head, Bytes message) {
  if (head.bytes > longest_medium || message.size() != sizeof(ActiveMessage) + head.bytes) return;
  MessageBuffer& buffer = buffers_.take();
  std::memcpy(&buffer.packet, message.data(), sizeof(ActiveMessage));
  buffer.peer = from;
  buffer.state = &peers_[index(from)];
  const Bytes body = message.subspan(sizeof(ActiveMessage));
  if (buffer.block.size() < body.size()) buffer.block.resize(body.size());
  std::ranges::copy(body, buffer.block.begin());
  if (head.kind == Kind::reply) buffer.state->replies += credits_of(head.bytes);
  const auto number = static_cast<std::size_t>(head.kind == Kind::request ? MessageClass::request
                                                                          : MessageClass::reply);
  arrived_[number].push_back(&buffer);
  how_many_[number].fetch_add(1, std::memory_order_relaxed);
}

// Threads of this rank may sleep until the word changes.
void RemoteMessages::carry_out(Bytes message) {
  const std::optional<Change> read = remote::read<Change>(message);
  if (!read) return;
  const Change& change = *read;
  const Bytes bytes = message.subspan(sizeof(change));
  const std::size_t room = memory_.plan().inbox_offset();
  if (bytes.size() != change.head.bytes || change.offset > room ||
      bytes.size() > room - change.offset)
    return;
  std::byte* arena = memory_.window(me_);
  if (!bytes.empty()) std::memcpy(arena + change.offset, bytes.data(), bytes.size());
  if (change.word_offset > room - sizeof(change.word) ||
      change.word_offset % sizeof(change.word) != 0)
    return;
  auto& word = *reinterpret_cast<std::uint64_t*>(arena + change.word_offset);
  std::atomic_ref(word).store(change.word, std::memory_order_seq_cst);  // pairs with acquire loads
  memory_.data_bell(me_).ring_if_asleep();
  memory_.page(me_).sync_bell.ring_if_asleep();
}

RemoteMessages::MessageBuffer* RemoteMessages::next(MessageClass message_class) {
  const auto number = static_cast<std::size_t>(message_class);
  if (how_many_[number].load(std::memory_order_relaxed) == 0) return nullptr;
  const std::scoped_lock turn(turn_);
  if (arrived_[number].empty()) return nullptr;
  MessageBuffer* buffer = arrived_[number].front();
  arrived_[number].pop_front();
  how_many_[number].fetch_sub(1, std::memory_order_relaxed);
  return buffer;
}

void RemoteMessages::finish(MessageBuffer& buffer) {
  const std::scoped_lock turn(turn_);
  give_back(buffer);
  Peer& peer = *buffer.state;
  const Head& head = buffer.packet.head;
  if (!needs_credit(head.kind)) {
    peer.replies -= credits_of(head.bytes);
    return;
  }
  peer.owed += credits_of(head.bytes);
  // If no other request follows, reports freed credits of small messages early, so that the
  // sender's next one leaves at once.
  const bool others_follow = !arrived_[static_cast<std::size_t>(MessageClass::request)].empty();
  const bool is_small = credits_of(head.bytes) == 1;
  if (peer.owed < (is_small && !others_follow ? max_sent_at_once : tell_after)) return;
  if (peer.waiting > 0) return;  // a waiting message carries the report
  Head receipt{.kind = Kind::receipt};
  send(buffer.peer, peer, {receipt, remote::bytes_of(receipt), {}}, Departure::optional);
}

}  // namespace gondwana
