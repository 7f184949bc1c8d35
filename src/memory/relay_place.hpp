// The memory that a rank shares with its node agent if the agent carries the rank's messages, and
// the bells by which they wake each other.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"
#include "sync/atomics.hpp"
#include "sync/doorbell.hpp"
#include "sync/record_ring.hpp"

namespace gondwana {

// One per rank of a node, in the control memory. Uses no memory before the first write.
struct alignas(4096) RelayPlace {
  // A record is for the node in its header. A number above the nodes is a slot of the rank's
  // BatchPlace, which the agent sends and empties; that record has no bytes.
  RecordRing to_agent;
  RecordRing to_rank;
  Doorbell<RealAtomics> bell;  // the rank's bell, rung by the agent
};

// One per node. The agent sleeps on descriptors, not on a futex, so an eventfd wakes it; all ranks
// have the descriptor. The sleeper pays for the fence, as with a Doorbell.
struct alignas(cache_line) AgentBell {
  std::atomic<std::uint32_t> asleep;

  // For the agent, which then checks the ranks' records and sleeps. False: rings may be missed, so
  // the sleep must be short.
  bool raise() {
    asleep.store(1, std::memory_order_relaxed);
    return RealAtomics::heavy_fence();
  }
  void lower() { asleep.store(0, std::memory_order_relaxed); }

  // Called by a rank after its store.
  void ring_if_asleep(int eventfd) {
    RealAtomics::light_fence();
    if (asleep.load(std::memory_order_relaxed) == 0) return;
    if (asleep.exchange(0, std::memory_order_relaxed) == 0) return;  // otherwise another rank rings
    constexpr std::uint64_t once = 1;
    [[maybe_unused]] const ssize_t rung = ::write(eventfd, &once, sizeof(once));
  }
};

Result<UniqueFd> create_agent_bell();

}  // namespace gondwana
