#include "remote/agent/left_batches.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gondwana::remote {
namespace {

// The interval between two checks. A batch that is open at both is sent.
constexpr std::uint64_t batch_check_ns = 100'000;
// The time that the agent keeps looking after the last open batch.
constexpr std::uint64_t keep_checking_ns = 2'000'000;

}  // namespace

void LeftBatches::check(std::uint64_t now_ns) {
  auto& bell = memory_.header().batch_bell;
  const bool was_rung = bell.asleep.load(std::memory_order_relaxed) == 0;
  if (!was_rung || now_ns < next_check_ns_) return;
  next_check_ns_ = now_ns + batch_check_ns;
  const bool has_sent_all = send_taken();
  if (check_each() || !has_sent_all) last_open_ns_ = now_ns;
  if (now_ns - last_open_ns_ < keep_checking_ns) return;
  const bool is_heard = bell.raise();
  if (!is_heard || has_open()) bell.lower();
}

bool LeftBatches::send_taken() {
  std::erase_if(taken_, [this](BatchSlot* slot) { return send(*slot); });
  return taken_.empty();
}

// True if any batch is open.
bool LeftBatches::check_each() {
  bool any = false;
  for (const Rank rank : memory_.roster().here()) {
    const BatchPlace& place = memory_.batches(rank);
    std::uint64_t open = place.left_open.load(std::memory_order_acquire);
    any |= open != 0;
    for (; open != 0; open &= open - 1) {
      const auto number = static_cast<std::size_t>(std::countr_zero(open));
      if (number < BatchPlace::count) check_batch(rank, number);
    }
  }
  return any;
}

void LeftBatches::check_batch(Rank rank, std::size_t number) {
  BatchSlot& slot = memory_.batches(rank).slots[number];
  const auto state = slot.state.value();
  std::uint64_t& seen = seen_[memory_.roster().slot_of(rank)][number];
  if (!state.is_open() || std::exchange(seen, state.generation()) != state.generation()) return;
  if (slot.state.take(state) && !send(slot)) taken_.push_back(&slot);
}

bool LeftBatches::send(BatchSlot& slot) {
  const std::size_t size = std::min<std::size_t>(slot.state.value().size(), BatchSlot::size);
  const Bytes bytes = Bytes(slot.bytes).first(size);
  const auto batch = read<Batch>(bytes);
  if (batch && batch->node == memory_.plan().node) {
    handlers_.on_own(bytes);
  } else if (batch && batch->node < memory_.roster().nodes()) {
    const Result<Posted> sent = outbox_.send_on(batch->node, bytes, &slot);
    if (sent) return *sent == Posted::accepted;
    handlers_.on_cut_off(batch->node);
  } else {
    ++misdirected_;
  }
  slot.state.clear();
  return true;
}

bool LeftBatches::has_open() const {
  for (const Rank rank : memory_.roster().here())
    if (memory_.batches(rank).left_open.load(std::memory_order_acquire) != 0) return true;
  return false;
}

std::chrono::nanoseconds LeftBatches::longest_sleep(std::uint64_t now_ns) const {
  if (memory_.header().batch_bell.asleep.load(std::memory_order_relaxed) != 0)
    return std::chrono::nanoseconds::max();
  return std::chrono::nanoseconds(next_check_ns_ - std::min(now_ns, next_check_ns_));
}

}  // namespace gondwana::remote
