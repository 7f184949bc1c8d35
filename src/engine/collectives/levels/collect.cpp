// A concatenation in two levels: the members of a node store their blocks to the leader's array,
// the leaders exchange the runs of their nodes, and all members get a copy of the whole.
#include "engine/collectives/levels/level_collectives.hpp"
#include "engine/collectives/reference/algorithms.hpp"

namespace gondwana {

bool LevelCollectives::fcollect(Team& team, CallName call, void* dest, const void* source,
                                std::size_t size) {
  const std::size_t total = times(size, team.size);
  if (!are_symmetric("fcollect", dest, total, source, size)) return false;
  Levels& levels = *team.levels;
  Team& node = levels.node;
  bool well = with_.rma.put(with_.lane, node.rank_of(0),
                            static_cast<std::byte*>(dest) + team.me * size, source, size);
  node_.sync(node, call);
  if (levels.is_leader()) {
    std::vector<std::size_t> borders(levels.borders.begin(), levels.borders.end());
    for (std::size_t& border : borders) border *= size;
    Group nodes(with_, levels, call);
    well = reference::join_blocks(nodes, std::move(borders), dest) && well;
  }
  return node_.broadcast(node, call, dest, dest, total, 0, RootDest::written) && well;
}

}  // namespace gondwana
