// What a rank and the agent of its node share of the batches that the rank sends to other nodes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"
#include "sync/atomics.hpp"
#include "sync/batch_state.hpp"

namespace gondwana {

// A message for the agent of another node, while it is filled.
struct BatchSlot {
  static constexpr std::size_t size = 72 * 1024;

  alignas(cache_line) BatchState<RealAtomics> state;
  alignas(cache_line) std::array<std::byte, size> bytes;
};

// One per rank of a node, in the control memory. Costs nothing before it is written to.
struct alignas(4096) BatchPlace {
  static constexpr std::size_t count = 8;

  std::atomic<std::uint64_t> left_open;  // one bit for each slot; written by the rank
  std::array<BatchSlot, count> slots;
};

}  // namespace gondwana
