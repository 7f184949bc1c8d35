// A broadcast in two levels: from the root to one member of each other node, down a tree, and from
// those to the members of their nodes.
#include "engine/collectives/reference/algorithms.hpp"

namespace gondwana {

// For its own node the root speaks. Nobody leaves before all have what they want.
bool Engine::broadcast_in_levels(Team& team, CallName call, const Broadcast& what) {
  if (!are_symmetric("broadcast", what.dest, what.size, what.source, what.size)) return false;
  Levels& levels = *team.levels;
  const std::uint32_t root_node = levels.node_of(what.root);
  const bool is_root_here = root_node == levels.me;
  const std::uint32_t speaker = is_root_here ? what.root - levels.first_member() : 0;
  bool well = true;
  if (levels.node.me == speaker) {
    Group nodes(*this, levels, call);
    nodes.replace(root_node, team.rank_of(what.root));
    reference::spread(nodes, Algorithm::tree, what.dest, what.source, what.size, root_node);
    well = nodes.well();
  }
  const void* source = is_root_here ? what.source : what.dest;
  well = broadcast(levels.node, call, what.dest, source, what.size, speaker) && well;
  sync_in_levels(team, call);
  return well;
}

}  // namespace gondwana
