// Atomics with one fault: a compare-and-swap orders nothing.
#pragma once

#include <atomic>
#include <cstdint>

#include "support/model/atomics.hpp"

namespace gondwana::model {

struct UnorderedSwap : Atomics {
  struct Counter : model::Counter {
    bool compare_exchange_strong(std::uint64_t& expected, std::uint64_t value,
                                 std::memory_order /*success*/, std::memory_order /*failure*/) {
      return model::Counter::compare_exchange_strong(expected, value, std::memory_order_relaxed,
                                                     std::memory_order_relaxed);
    }
  };
};

}  // namespace gondwana::model
