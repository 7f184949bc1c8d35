// The memory of the batches that a rank fills. The agent of the node may send a batch that the rank
// leaves open (agent/left_batches.cpp).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "memory/batch_place.hpp"
#include "memory/node_memory.hpp"
#include "remote/protocol.hpp"
#include "remote/transport.hpp"

namespace gondwana::remote {

static_assert(longest_batch <= BatchSlot::size);

class BatchSlots {
 public:
  struct Slot {
    BatchSlot* shared = nullptr;
    std::uint64_t bit = 0;
    bool is_filled = false;  // by this rank
    Completion leaving;      // while the network reads the bytes

    std::byte* bytes() const { return shared->bytes.data(); }
    BatchState<RealAtomics>& state() const { return shared->state; }
    std::uint32_t number() const { return static_cast<std::uint32_t>(std::countr_zero(bit)); }
  };

  BatchSlots(const NodeMemory& memory, Rank me) : memory_(memory), place_(memory.batches(me)) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i].shared = &place_.slots[i];
      slots_[i].bit = std::uint64_t{1} << i;
    }
    place_.left_open.store(0,
                           std::memory_order_relaxed);  // from an earlier incarnation of this rank
  }

  // Drops batches that an earlier incarnation left open.
  void reclaim() {
    for (const Slot& slot : slots_)
      if (slot.state().take(slot.state().value())) slot.state().clear();
  }
  // Null: all slots are in use.
  Slot* take() {
    for (Slot& slot : slots_) {
      const bool is_free =
          !slot.is_filled && slot.leaving.done() && slot.shared->state.value().is_empty();
      if (!is_free) continue;
      slot.is_filled = true;
      return &slot;
    }
    return nullptr;
  }
  // The bytes stay in use until `leaving` is done and the state is empty.
  void give_back(Slot& slot) {
    mark(left_open_ & ~slot.bit);
    slot.is_filled = false;
  }
  // Allows the agent to send the first `size` bytes.
  void leave_open(Slot& slot, std::size_t size) {
    slot.shared->state.open(static_cast<std::uint32_t>(size));
    mark(left_open_ | slot.bit);
    memory_.header().batch_bell.ring_if_asleep(memory_.agent_bell());
  }

 private:
  void mark(std::uint64_t left_open) {
    if (left_open == left_open_) return;
    left_open_ = left_open;
    place_.left_open.store(left_open, std::memory_order_release);  // the agent acquires it
  }

  const NodeMemory& memory_;
  BatchPlace& place_;
  std::array<Slot, BatchPlace::count> slots_;
  std::uint64_t left_open_ = 0;  // copy of the shared value
};

}  // namespace gondwana::remote
