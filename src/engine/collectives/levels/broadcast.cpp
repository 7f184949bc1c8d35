// A broadcast in two levels: from the root to one member of each other node, down a tree, and from
// those to the members of their nodes.
#include "engine/collectives/levels/level_collectives.hpp"
#include "engine/collectives/reference/algorithms.hpp"

namespace gondwana {

// For its own node the root speaks. Nobody leaves before all have what they want.
bool LevelCollectives::broadcast(Team& team, CallName call, void* dest, const void* source,
                                 std::size_t size, std::uint32_t root, RootDest root_dest) {
  if (!are_symmetric("broadcast", dest, size, source, size)) return false;
  Levels& levels = *team.levels;
  const std::uint32_t root_node = levels.node_of(root);
  const bool is_root_here = root_node == levels.me;
  const std::uint32_t speaker = is_root_here ? root - levels.first_member() : 0;
  bool well = true;
  if (levels.node.me == speaker) {
    Group nodes(with_, levels, call);
    nodes.replace(root_node, team.rank_of(root));
    reference::spread(nodes, Algorithm::tree, dest, source, size, root_node);
    well = nodes.well();
  }
  const void* from = is_root_here ? source : dest;
  well = node_.broadcast(levels.node, call, dest, from, size, speaker, root_dest) && well;
  sync(team, call);
  return well;
}

}  // namespace gondwana
