// How a node agent sends the batches that ranks of its node leave open: a rank that computes makes
// no calls. A rank that leaves a batch open rings the bell, unless the agent looks at batches
// regularly, as it does for a while after the last open batch.
#include <algorithm>
#include <bit>

#include "core/machine.hpp"
#include "remote/agent/implementation.hpp"

namespace gondwana {
namespace {

// A batch that is still open at the next look leaves.
constexpr std::uint64_t between_looks_ns = 100'000;
// How long the agent looks for more after the last open batch.
constexpr std::uint64_t looks_on_ns = 2'000'000;

}  // namespace

void NodeAgent::Implementation::look_at_batches() {
  const std::uint64_t now = monotonic_ns();
  const bool was_rung = memory_->header().batch_bell.asleep.load(std::memory_order_relaxed) == 0;
  if (!was_rung || now < next_batch_look_ns_) return;
  next_batch_look_ns_ = now + between_looks_ns;
  const bool has_sent_all = send_taken_batches();
  if (look_at_each_batch() || !has_sent_all) last_open_batch_ns_ = now;
  if (now - last_open_batch_ns_ < looks_on_ns) return;
  const bool is_heard = memory_->header().batch_bell.raise();
  if (!is_heard || has_open_batch()) memory_->header().batch_bell.lower();
}

// False: some wait for the network.
bool NodeAgent::Implementation::send_taken_batches() {
  std::erase_if(taken_batches_, [this](BatchSlot* slot) { return send_batch(*slot); });
  return taken_batches_.empty();
}

// True if any batch is open.
bool NodeAgent::Implementation::look_at_each_batch() {
  bool any = false;
  for (const Rank rank : memory_->roster().here()) {
    const BatchPlace& place = memory_->batches(rank);
    std::uint64_t open = place.left_open.load(std::memory_order_acquire);
    any |= open != 0;
    for (; open != 0; open &= open - 1) {
      const auto number = static_cast<std::size_t>(std::countr_zero(open));
      if (number < BatchPlace::count) look_at_batch(rank, number);
    }
  }
  return any;
}

void NodeAgent::Implementation::look_at_batch(Rank rank, std::size_t number) {
  BatchSlot& slot = memory_->batches(rank).slots[number];
  const auto state = slot.state.look();
  std::uint64_t& seen = seen_batches_[memory_->roster().slot_of(rank)][number];
  if (!state.is_open() || std::exchange(seen, state.generation()) != state.generation()) return;
  if (slot.state.take(state) && !send_batch(slot)) taken_batches_.push_back(&slot);
}

// False: there is no room now. Batches to a node that is gone are dropped.
bool NodeAgent::Implementation::send_batch(BatchSlot& slot) {
  const std::size_t size = std::min<std::size_t>(slot.state.look().size(), BatchSlot::size);
  const Bytes bytes = Bytes(slot.bytes).first(size);
  const auto batch = remote::read<remote::Batch>(bytes);
  const NodePlan& plan = memory_->plan();
  if (batch && batch->node == plan.node) {
    on_message(bytes);
  } else if (batch && batch->node < memory_->roster().nodes()) {
    const Result<Posted> sent = send_on(batch->node, bytes, &slot);
    if (sent) return *sent == Posted::accepted;
    lose(batch->node, NodeState::cut_off);
  } else {
    ++dropped_.misdirected;
  }
  slot.state.clear();
  return true;
}

bool NodeAgent::Implementation::has_open_batch() const {
  for (const Rank rank : memory_->roster().here())
    if (memory_->batches(rank).left_open.load(std::memory_order_acquire) != 0) return true;
  return false;
}

// Until the next look.
std::chrono::nanoseconds NodeAgent::Implementation::longest_sleep_beside_batches() const {
  if (memory_->header().batch_bell.asleep.load(std::memory_order_relaxed) != 0)
    return std::chrono::nanoseconds::max();
  const std::uint64_t now = monotonic_ns();
  return std::chrono::nanoseconds(next_batch_look_ns_ - std::min(now, next_batch_look_ns_));
}

}  // namespace gondwana
