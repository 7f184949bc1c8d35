#include "engine/am/messages.hpp"

#include <utility>

#include "tracing/tracer.hpp"

namespace gondwana {
namespace {

// The most messages that one poll handles, so that a flood cannot occupy the caller forever.
constexpr std::uint32_t max_at_once = 64;

}  // namespace

Messages::Messages(const NodeMemory& memory, Rank me)
    : memory_(&memory),
      here_(memory.roster().here()),
      me_(me),
      layout_(memory.roster().slots()),
      receiving_{Receiving(lane(me, MessageClass::request)),
                 Receiving(lane(me, MessageClass::reply))} {
  for (const MessageClass message_class : {MessageClass::request, MessageClass::reply})
    for (std::uint32_t slot = 0; slot < layout_.capacity(); ++slot) {
      const Rank rank = here_[slot];
      targets_[static_cast<std::size_t>(message_class)].push_back(
          {.lane = lane(rank, message_class),
           .credit_cache = CreditCache::of(slot_of(me), InboxLayout::slots),
           .data_bell = &memory.data_bell(rank)});
    }
}

const void* Messages::this_thread() {
  [[gnu::tls_model("initial-exec")]] constinit static thread_local char marker = 0;
  return &marker;
}

void Messages::listen(Receiver receiver, void* context, Handlers handlers) {
  owner_ = this_thread();
  any_thread_ = handlers == Handlers::on_any_thread;
  for (Receiving& lane : receiving_) lane.consumer.be_alone(!any_thread_);
  // Another thread may poll as soon as it sees a receiver.
  traced_listener_ = {receiver, context};
  listener_ = Tracer::is_on() ? Listener{&receive_traced, this} : traced_listener_;
}

void Messages::receive_traced(void* messages, const Incoming& incoming) {
  const auto& self = *static_cast<const Messages*>(messages);
  const TracedScope traced([&incoming] {
    const bool is_request = incoming.message_class == MessageClass::request;
    return TraceEvent{.kind = EventKind::handler,
                      .name = Tracer::number_of(is_request ? "request" : "reply"),
                      .peer = index(incoming.from),
                      .bytes = incoming.block.size()};
  });
  self.traced_listener_.receiver(self.traced_listener_.context, incoming);
}

NodeQueue Messages::lane(Rank receiver, MessageClass message_class) const {
  std::byte* inbox = memory_->window(receiver) + memory_->plan().inbox_offset();
  return {inbox, layout_, slot_of(receiver), message_class, RankBells{memory_}};
}

// Returns false if another thread polls, or if a handler of this thread runs.
bool Messages::take_turn(Receiving& mine) const {
  if (mine.busy.load(std::memory_order_relaxed)) return false;
  if (any_thread_)  // pairs with the release by the previous thread
    return !mine.busy.exchange(true, std::memory_order_acquire);
  mine.busy.store(true, std::memory_order_relaxed);
  return true;
}

std::uint32_t Messages::poll(MessageClass message_class, bool surely) {
  Receiving& mine = receiving_[static_cast<std::size_t>(message_class)];
  if (!take_turn(mine)) return 0;
  std::uint32_t handled = poll_inbox(mine, message_class, surely);
  if (remote_ != nullptr) [[unlikely]]
    handled += poll_messages(message_class);
  mine.busy.store(false, std::memory_order_release);
  return handled;
}

std::uint32_t Messages::poll_inbox(Receiving& mine, MessageClass message_class, bool surely) {
  const auto handle = [&](std::uint32_t from, InboxMessage& message, std::uint32_t block) {
    const MutableBytes payload =
        block == Reservation::no_block ? MutableBytes() : mine.lane.block(from, block);
    listener_.receiver(listener_.context, {here_[from], message_class, message, payload});
  };
  if (!surely) return mine.consumer.poll(handle, max_at_once);
  mine.consumer.settle();
  return mine.consumer.search_and_poll(handle, max_at_once);
}

std::uint32_t Messages::poll_messages(MessageClass message_class) {
  return remote_->poll(message_class, max_at_once, [&](RemoteMessages::MessageBuffer& buffer) {
    const MutableBytes block = MutableBytes(buffer.block).first(buffer.packet.head.bytes);
    listener_.receiver(listener_.context, {buffer.peer, message_class, buffer.packet.message,
                                           block.empty() ? MutableBytes() : block});
  });
}

}  // namespace gondwana
