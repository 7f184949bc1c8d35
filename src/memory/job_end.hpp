// How the processes of a node tell each other that the job ends on purpose: by shmem_global_exit,
// gasnet_exit and the like. From then on the loss of a rank, an agent or a connection is not an
// error. Ranks that wait in the library end as by exit(), so that their output is not lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "memory/control_page.hpp"

namespace gondwana {

// The time that ranks have to end before a launcher sends them a signal.
inline constexpr std::chrono::seconds time_to_end{1};

// Returns the status with which the job ends; nothing if the job continues, or ends by an error.
std::optional<int> purposeful_end(const NodeHeader& node);

// Called by the guardian of the node or, without a guardian, by the rank that ends the job. The
// first status counts. Wakes the `ranks` ranks of the node, whose pages follow the header.
void announce_purposeful_end(NodeHeader& node, std::uint32_t ranks, int status);

}  // namespace gondwana
