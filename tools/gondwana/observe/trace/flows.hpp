// Finds which event of one rank allowed an event of another rank to end:
// - for a wait, the last put or atomic update before its end that changed a word it waited for. If
//   that update has ended an earlier wait, this one did not have to wait.
// - for a barrier, the arrival of the last rank, which released all others.
// - for a lock, the release by the previous holder.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "observe/trace/node_trace.hpp"

namespace gondwana::trace {

// An event of the job. Events of a thread are numbered in order.
struct EventId {
  std::size_t node;
  std::size_t rank;  // index in NodeTrace::ranks
  std::size_t thread;
  std::size_t event;

  friend auto operator<=>(const EventId&, const EventId&) = default;
};

// Leads from the start of one event to the end of another.
struct Flow {
  EventId from;
  EventId to;
};

std::vector<Flow> find_flows(const std::vector<NodeTrace>& nodes);

// The last rank that arrived at a barrier, and its delay after the one before it.
struct LastArrival {
  EventId event;
  std::uint32_t rank;
  std::int64_t late_ns;
};
// Indexed by the event of each rank in the barrier.
using Barriers = std::map<EventId, LastArrival>;

Barriers find_barriers(const std::vector<NodeTrace>& nodes);
std::vector<Flow> outgoing_flows(const Barriers& barriers);

std::vector<Flow> find_lock_flows(const std::vector<NodeTrace>& nodes);

// `take` receives the node, the rank, the event and its id.
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
