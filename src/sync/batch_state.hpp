// The state of a batch that one process fills. Either it or its helper, another process, sends the
// batch. Both share the memory.
//
// The owner publishes how many bytes are complete. The helper takes a batch that the owner leaves
// open. One of them wins the compare-and-swap and owns the bytes until it clears the state. Death
// or a stop of the owner between two steps leaves a state that the helper understands.
#pragma once

#include <cstdint>

#include "core/assert.hpp"
#include "sync/atomics.hpp"

namespace gondwana {

// All zero is an empty batch.
template <AtomicsPolicy Atomics>
class BatchState {
 public:
  static constexpr std::uint32_t layout_version = 2;

  struct Value {
    std::uint64_t bits = 0;

    std::uint64_t generation() const { return bits / first_generation; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(bits & size_mask); }
    bool is_open() const { return (bits & phase_mask) == open_phase; }
    bool is_empty() const { return (bits & phase_mask) == 0; }
  };

  // Owner: publishes the first bytes of an empty batch.
  void open(std::uint32_t size) {
    const Value last = load(std::memory_order_relaxed);
    GONDWANA_ASSERT(last.is_empty() && size <= size_mask, last.bits, size);
    // Pairs with take() of the helper.
    word_.store(value_of(last.generation() + 1, open_phase, size), std::memory_order_release);
  }
  // Owner: publishes more bytes. False: the helper has taken the batch without them.
  bool extend(std::uint32_t size) {
    const Value last = load(std::memory_order_relaxed);
    GONDWANA_ASSERT(size > last.size() && size <= size_mask, last.bits, size);
    return last.is_open() &&
           replace(last, value_of(last.generation(), open_phase, size), std::memory_order_release);
  }
  // Takes the batch as `seen`. False: the other side has it, or the owner has published more.
  bool take(Value seen) {
    return seen.is_open() && replace(seen, value_of(seen.generation(), taken_phase, seen.size()),
                                     std::memory_order_acquire);  // pairs with open() and extend()
  }
  // Owner: undoes take().
  void reopen() {
    const Value last = load(std::memory_order_relaxed);
    word_.store(value_of(last.generation(), open_phase, last.size()), std::memory_order_release);
  }
  // For the side that took the batch, after its last access. The owner may then fill it again.
  void clear() {
    const Value last = load(std::memory_order_relaxed);
    word_.store(value_of(last.generation(), 0, 0),
                std::memory_order_release);  // pairs with value()
  }
  Value value() const { return load(std::memory_order_acquire); }

 private:
  static constexpr std::uint64_t open_phase = std::uint64_t{1} << 20;
  static constexpr std::uint64_t taken_phase = std::uint64_t{1} << 21;
  static constexpr std::uint64_t first_generation = std::uint64_t{1} << 22;
  static constexpr std::uint64_t size_mask = open_phase - 1;
  static constexpr std::uint64_t phase_mask = open_phase | taken_phase;

  static constexpr std::uint64_t value_of(std::uint64_t generation, std::uint64_t phase,
                                          std::uint32_t size) {
    return generation * first_generation | phase | size;
  }
  Value load(std::memory_order order) const { return {word_.load(order)}; }
  bool replace(Value expected, std::uint64_t desired, std::memory_order order) {
    return word_.compare_exchange_strong(expected.bits, desired, order, std::memory_order_relaxed);
  }

  mutable typename Atomics::Counter word_;
};

}  // namespace gondwana
