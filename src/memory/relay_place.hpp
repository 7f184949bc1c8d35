// What a rank and the agent of its node share where the agent carries the messages of the rank, and
// how they wake each other.
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

// One per rank of a node, in the control memory. Costs nothing before it is written to.
struct alignas(4096) RelayPlace {
  // A record is for the node that it names. A number beyond the nodes names a slot of the rank's
  // BatchPlace, which the agent sends and empties; that record has no bytes.
  RecordRing to_agent;
  RecordRing to_rank;
  Doorbell<RealAtomics> bell;  // the rank's, rung by the agent
};

// One per node. The agent sleeps on descriptors and no futex, so what wakes it is an eventfd, which
// all of them have. The sleeper pays for the fence, as with a Doorbell.
struct alignas(cache_line) AgentBell {
  std::atomic<std::uint32_t> asleep;

  // Agent: to be followed by a look at what ranks have written, and then the sleep. False: rings
  // may be missed, so that it must be short.
  bool raise() {
    asleep.store(1, std::memory_order_relaxed);
    return RealAtomics::heavy_fence();
  }
  void lower() { asleep.store(0, std::memory_order_relaxed); }

  // Rank, after its store.
  void ring_if_asleep(int eventfd) {
    RealAtomics::light_fence();
    if (asleep.load(std::memory_order_relaxed) == 0) return;
    if (asleep.exchange(0, std::memory_order_relaxed) == 0) return;  // another rank rings
    constexpr std::uint64_t once = 1;
    [[maybe_unused]] const ssize_t rung = ::write(eventfd, &once, sizeof(once));
  }
};

Result<UniqueFd> create_agent_bell();

}  // namespace gondwana
