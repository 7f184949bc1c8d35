// The counter block of the calling thread, found without a lock or a look-up.
#pragma once

#include <cstdint>

#include "core/control_page.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

// The engine this thread counted for last, and its block there. An engine is named by a number that
// no other ever had, not by its address: that may be used again.
struct CounterSlot {
  std::uint64_t engine = 0;
  CounterBlock* block = nullptr;
};

extern constinit thread_local CounterSlot counter_slot __attribute__((tls_model("initial-exec")));

class Counting {
 public:
  explicit Counting(Rank rank);

  CounterBlock& block(const NodeMemory& memory, Rank rank) const {
    if (counter_slot.engine != engine_) [[unlikely]]
      claim_block(memory, rank);
    return *counter_slot.block;
  }

 private:
  void claim_block(const NodeMemory& memory, Rank rank) const;

  std::uint64_t engine_;
};

}  // namespace gondwana
