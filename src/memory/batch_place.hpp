// The batches that a rank sends to other nodes, as the rank and its node agent share them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"
#include "sync/atomics.hpp"
#include "sync/batch_state.hpp"

namespace gondwana {

// A message for the agent of another node, while the rank fills it.
struct BatchSlot {
  static constexpr std::size_t size = 72 * 1024;

  alignas(cache_line) BatchState<RealAtomics> state;
  alignas(cache_line) std::array<std::byte, size> bytes;
};

// One per rank of a node, in the control memory. Uses no memory before the first write.
struct alignas(4096) BatchPlace {
  static constexpr std::size_t count = 8;

  std::atomic<std::uint64_t> left_open;  // one bit per slot; written by the rank
  std::array<BatchSlot, count> slots;
};

}  // namespace gondwana
