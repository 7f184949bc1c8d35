// Which put or atomic update ended which wait: the last one, before the wait ended, that changed a
// word that was waited for. If that one has ended an earlier wait, this one did not have to wait.
#pragma once

#include <cstddef>
#include <vector>

#include "trace/node_trace.hpp"

namespace gondwana::trace {

// An event of the job: those of a thread are numbered in their order.
struct EventId {
  std::size_t node;
  std::size_t rank;  // of NodeTrace::ranks
  std::size_t thread;
  std::size_t event;

  friend auto operator<=>(const EventId&, const EventId&) = default;
};

struct Flow {
  EventId from;
  EventId to;
};

std::vector<Flow> find_flows(const std::vector<NodeTrace>& nodes);

}  // namespace gondwana::trace
