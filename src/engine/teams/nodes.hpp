// The nodes that hold the members of a team.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/teams/team.hpp"

namespace gondwana {

// The node number of each member; empty if this rank does not know all nodes. All members get the
// same result, because either all ranks know all nodes, or none does.
std::vector<std::uint32_t> nodes_of(const NodeMemory& memory, const Team& team);

}  // namespace gondwana
