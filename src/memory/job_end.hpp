// How the processes of a node tell each other that the job ends on purpose: by shmem_global_exit,
// gasnet_exit and the like. From then on a rank, an agent or a connection that is gone is no error.
// Ranks that wait in the library end as by exit(), so that nothing they have written is lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "memory/control_page.hpp"

namespace gondwana {

// How long ranks have for that before a launcher sends them a signal.
inline constexpr std::chrono::seconds time_to_end{1};

// The status that the job ends with; nothing where it goes on, or ends by an error.
std::optional<int> purposeful_end(const NodeHeader& node);

// By the guardian of the node, or by the rank that ends the job where there is none. The first
// status counts. Wakes the `ranks` ranks of the node, whose pages follow the header.
void announce_purposeful_end(NodeHeader& node, std::uint32_t ranks, int status);

}  // namespace gondwana
