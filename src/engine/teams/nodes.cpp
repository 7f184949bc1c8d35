#include "engine/teams/nodes.hpp"

namespace gondwana {

std::vector<std::uint32_t> nodes_of(const NodeMemory& memory, const Team& team) {
  const std::uint32_t known = memory.plan().nodes;
  const auto holds = [&](std::uint32_t node, Rank rank) {
    const NodeEntry& entry = memory.entry(node);
    return entry.state.load(std::memory_order_acquire) != NodeState::unknown &&
           index(rank) - entry.info.first < entry.info.ranks;
  };
  std::vector<std::uint32_t> nodes;
  std::uint32_t node = 0;  // of the previous member; the next one is often on it too
  for (std::uint32_t member = 0; member < team.size; ++member) {
    std::uint32_t tried = 0;
    for (; tried < known && !holds(node, team.rank_of(member)); ++tried) node = (node + 1) % known;
    if (tried == known) return {};
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace gondwana
