// Which event of a rank let an event of another one go on:
// - of a wait, the last put or atomic update before the wait ended that changed a word that was
//   waited for. If that one has ended an earlier wait, this one did not have to wait.
// - of a barrier, the arrival of the last rank. It released all others.
// - of a lock, the release by the rank that held it before.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "observe/trace/node_trace.hpp"

namespace gondwana::trace {

// An event of the job: those of a thread are numbered in their order.
struct EventId {
  std::size_t node;
  std::size_t rank;  // of NodeTrace::ranks
  std::size_t thread;
  std::size_t event;

  friend auto operator<=>(const EventId&, const EventId&) = default;
};

// From the begin of an event to the end of another one.
struct Flow {
  EventId from;
  EventId to;
};

std::vector<Flow> find_flows(const std::vector<NodeTrace>& nodes);

// The last rank that arrived at a barrier, and how long after the one before it.
struct LastArrival {
  EventId event;
  std::uint32_t rank;
  std::int64_t late_ns;
};
// By the events of all ranks in the barrier.
using Barriers = std::map<EventId, LastArrival>;

Barriers find_barriers(const std::vector<NodeTrace>& nodes);
std::vector<Flow> flows_of(const Barriers& barriers);

std::vector<Flow> find_lock_flows(const std::vector<NodeTrace>& nodes);

// `take` gets the node, the rank, the event and its id.
template <typename Take>
void for_events(const std::vector<NodeTrace>& nodes, const Take& take) {
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (std::size_t rank = 0; rank < nodes[node].ranks.size(); ++rank) {
      const std::vector<ThreadTrace>& threads = nodes[node].ranks[rank].threads;
      for (std::size_t thread = 0; thread < threads.size(); ++thread)
        for (std::size_t event = 0; event < threads[thread].events.size(); ++event)
          take(nodes[node], nodes[node].ranks[rank], threads[thread].events[event],
               EventId{node, rank, thread, event});
    }
  }
}

}  // namespace gondwana::trace
