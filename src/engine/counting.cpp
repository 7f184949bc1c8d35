#include "engine/counting.hpp"

#include <algorithm>

#include "core/machine.hpp"

namespace gondwana {

constinit thread_local CounterSlot counter_slot;

// The time in nanoseconds shifted by the rank: engines of one process made at the same instant have
// different ranks.
Counting::Counting(Rank rank) : engine_(monotonic_ns() << 16 | (index(rank) & 0xffff)) {}

void Counting::claim_block(const NodeMemory& memory, Rank rank) const {
  ControlPage& page = memory.page(rank);
  const std::uint32_t thread = page.threads.fetch_add(1, std::memory_order_relaxed);
  // More threads than blocks share the last one and lose counts there; never memory.
  const std::size_t block = std::min<std::size_t>(thread, ControlPage::max_threads - 1);
  counter_slot = {engine_, &page.counters.at(block)};
}

}  // namespace gondwana
