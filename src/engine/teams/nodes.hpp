// On which nodes the members of a team are.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/teams/team.hpp"

namespace gondwana {

// By member the number of its node; nothing where this rank does not know all of them. All members
// find the same, since all ranks know all nodes, or none.
std::vector<std::uint32_t> nodes_of(const NodeMemory& memory, const Team& team);

}  // namespace gondwana
