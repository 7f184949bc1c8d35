// Active messages between ranks. Within a node they use the inboxes, which number the ranks of the
// node by their slots. Between nodes they use the wire (engine/am/remote_messages.hpp).
//
// A message that is opened gets an entry in the receiver's inbox and takes a credit of this pair of
// ranks and class. The sender fills it in place, and publishes or cancels it. The receiver runs the
// handler on it in place when it polls or waits. A request handler may send one reply and no
// request; a reply handler sends nothing. sync/inbox.hpp explains why this cannot deadlock.
//
// Message paths are inline: the wait for their cache lines is no longer than 40 instructions.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "engine/am/draft.hpp"
#include "engine/am/remote_messages.hpp"
#include "memory/node_memory.hpp"
#include "sync/inbox.hpp"

namespace gondwana {

// A message during its handler. All of it is in the inbox and is valid until the handler returns.
struct Incoming {
  Rank from;
  MessageClass message_class;
  InboxMessage& message;
  MutableBytes block;  // the payload block; empty if the message has none
};

// Which threads run handlers: the one that asked for messages, or any thread that polls.
enum class Handlers : std::uint8_t { on_one_thread, on_any_thread };

class Messages {
 public:
  using Receiver = void (*)(void* context, const Incoming& incoming);

  Messages(const NodeMemory& memory, Rank me);

  // Starts delivering messages to `receiver`. Messages that peers sent earlier wait in the inbox.
  // With handlers on one thread, threads take turns to send.
  void listen(Receiver receiver, void* context, Handlers handlers);
  // Also enables messages to ranks out of reach.
  void use(std::unique_ptr<RemoteMessages> remote) { remote_ = std::move(remote); }
  RemoteMessages* remote() { return remote_.get(); }
  void stop() { listener_ = {}; }
  bool may_poll() const {
    return listener_.receiver != nullptr && (any_thread_ || owner_ == this_thread());
  }

  // Returns nothing if the queue is full. Never waits. Any thread may call it.
  [[gnu::always_inline]] std::optional<Draft> try_open(Rank to, MessageClass message_class,
                                                       Payload payload) {
    if (slot_of(to) >= layout_.capacity()) [[unlikely]]
      return remote_->try_open(to, message_class, payload);
    MessageTarget& target =
        targets_[static_cast<std::size_t>(queue_class(message_class))][slot_of(to)];
    Sender side = sender(target);
    const std::optional<Reservation> at = side.reserve(payload);
    if (!at) [[unlikely]]
      return std::nullopt;
    const MutableBytes block =
        payload == Payload::none ? MutableBytes() : target.lane.block(slot_of(me_), at->block);
    return Draft{&target, *at, &side.message(*at), block};
  }

  // Rings both bells: the receiver may sleep on either.
  [[gnu::always_inline]] void publish(const Draft& draft) {
    if (draft.target == nullptr) [[unlikely]]
      return remote_->publish(draft);
    sender(*draft.target).publish(draft.at);
    draft.target->data_bell->ring_if_asleep();
  }
  void cancel(const Draft& draft) {
    if (draft.target == nullptr) return remote_->cancel(draft);
    sender(*draft.target).cancel(draft.at);
  }

  // Runs the handlers of a bounded number of messages and returns their number. It may miss
  // messages for a while if several threads of a sender send at once. Requires may_poll(). In a
  // request handler it runs only replies.
  std::uint32_t poll() {
    return poll(MessageClass::reply, false) + poll(MessageClass::request, false);
  }
  // Whether a thread is polling. If so, poll() may have done nothing.
  bool is_polled() const { return receiving_[0].busy.load() || receiving_[1].busy.load(); }
  // Like poll(), but misses no message. Called before a sleep.
  std::uint32_t poll_all() {
    return poll(MessageClass::reply, true) + poll(MessageClass::request, true);
  }

 private:
  using Sender = InboxSender<RealAtomics, NodeQueue>;

  struct Listener {
    Receiver receiver = nullptr;
    void* context = nullptr;
  };
  // A queue of this rank. Threads take turns at its consumer; a running handler keeps the turn.
  struct Receiving {
    explicit Receiving(const NodeQueue& own) : lane(own), consumer(own) {}

    NodeQueue lane;
    InboxConsumer<RealAtomics, NodeQueue> consumer;
    std::atomic<bool> busy{false};
  };

  std::uint32_t slot_of(Rank rank) const { return here_.slot_of(rank); }
  NodeQueue lane(Rank receiver, MessageClass message_class) const;
  Sender sender(MessageTarget& target) {
    return {target.lane, slot_of(me_), any_thread_ ? nullptr : &target.credit_cache};
  }
  // Replaces the receiver in a traced job.
  static void receive_traced(void* messages, const Incoming& incoming);
  bool take_turn(Receiving& mine) const;
  std::uint32_t poll(MessageClass message_class, bool surely);
  std::uint32_t poll_inbox(Receiving& mine, MessageClass message_class, bool surely);
  std::uint32_t poll_messages(MessageClass message_class);
  static const void* this_thread();

  const NodeMemory* memory_;
  NodeRanks here_;
  Rank me_;
  InboxLayout layout_;
  Listener listener_;
  Listener traced_listener_;
  bool any_thread_ = false;
  const void* owner_ = nullptr;
  std::array<Receiving, 2> receiving_;                 // by class
  std::array<std::vector<MessageTarget>, 2> targets_;  // by class and slot
  std::unique_ptr<RemoteMessages> remote_;             // null: no rank is out of reach
};

}  // namespace gondwana
