#include "engine/teams/nodes.hpp"

namespace gondwana {

std::vector<std::uint32_t> nodes_of(const NodeMemory& memory, const Team& team) {
  const Roster& roster = memory.roster();
  if (!roster.knows_all_nodes()) return {};
  std::vector<std::uint32_t> nodes(team.size);
  for (std::uint32_t member = 0; member < team.size; ++member)
    nodes[member] = roster.where(team.rank_of(member)).node;
  return nodes;
}

}  // namespace gondwana
