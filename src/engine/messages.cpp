#include "engine/messages.hpp"

namespace gondwana {
namespace {

// As many as one poll may run, so that a flood does not keep the caller for ever.
constexpr std::uint32_t most_at_once = 64;

}  // namespace

Messages::Messages(const NodeMemory& memory, Rank me)
    : memory_(&memory),
      me_(me),
      layout_(memory.plan().ranks),
      receiving_{Receiving{InboxConsumer<RealAtomics, NodeLane>(lane(me, MessageClass::request))},
                 Receiving{InboxConsumer<RealAtomics, NodeLane>(lane(me, MessageClass::reply))}} {}

const void* Messages::this_thread() {
  [[gnu::tls_model("initial-exec")]] constinit static thread_local char marker = 0;
  return &marker;
}

void Messages::listen(Receiver receiver, void* context, Handlers handlers) {
  context_ = context;
  owner_ = this_thread();
  any_thread_ = handlers == Handlers::on_any_thread;
  for (Receiving& lane : receiving_) lane.consumer.be_alone(!any_thread_);
  receiver_ = receiver;
}

Messages::NodeLane Messages::lane(Rank receiver, MessageClass sort) const {
  std::byte* inbox = memory_->window(receiver) + memory_->plan().inbox_offset();
  return {inbox, layout_, index(receiver), sort, Bells{memory_}};
}

std::optional<Draft> Messages::try_open(Rank to, MessageClass sort, Payload payload) {
  const NodeLane target = lane(to, sort);
  Sender sender(target, index(me_));
  const std::optional<Reservation> at = sender.reserve(payload);
  if (!at) return std::nullopt;
  const MutableBytes block =
      at->block == Reservation::no_block ? MutableBytes() : target.block(index(me_), at->block);
  return Draft{to, sort, *at, &sender.message(*at), block};
}

// The receiver may sleep on either of its bells: publish() rings one of them.
void Messages::publish(const Draft& draft) {
  Sender(lane(draft.to, draft.sort), index(me_)).publish(draft.at);
  memory_->data_bell(draft.to).ring_if_asleep();
}

void Messages::cancel(const Draft& draft) {
  Sender(lane(draft.to, draft.sort), index(me_)).cancel(draft.at);
}

std::uint32_t Messages::poll() {
  return poll(MessageClass::reply, false) + poll(MessageClass::request, false);
}

std::uint32_t Messages::poll_all() {
  return poll(MessageClass::reply, true) + poll(MessageClass::request, true);
}

std::uint32_t Messages::poll(MessageClass sort, bool surely) {
  Receiving& mine = receiving_[static_cast<std::size_t>(sort)];
  if (mine.busy.load(std::memory_order_relaxed)) return 0;
  if (any_thread_)  // pairs with the release below
    if (mine.busy.exchange(true, std::memory_order_acquire)) return 0;
  mine.busy.store(true, std::memory_order_relaxed);
  const auto handle = [&](std::uint32_t from, InboxMessage& message, std::uint32_t block) {
    const MutableBytes payload =
        block == Reservation::no_block ? MutableBytes() : lane(me_, sort).block(from, block);
    receiver_(context_, {Rank(from), sort, message, payload});
  };
  std::uint32_t handled = 0;
  std::uint32_t last = 0;
  do {
    if (surely) mine.consumer.settle();
    last = surely ? mine.consumer.search_and_poll(handle, most_at_once)
                  : mine.consumer.poll(handle, most_at_once);
    handled += last;
  } while (last != 0 && handled < most_at_once);
  mine.busy.store(false, std::memory_order_release);
  return handled;
}

}  // namespace gondwana
