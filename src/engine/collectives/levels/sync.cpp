// How the members of a team with two levels wait for one another.
//
// The members of a node meet in common memory, as TeamSync does it: all reach the first epoch, and
// go on when the leader has reached the second. In between one message goes to the next node: it is
// sent by the member that comes last, which is awake, and received by the leader, which it wakes.
#include "engine/collectives/levels/level_collectives.hpp"

namespace gondwana {

// True for one member: all of this node have come, and it is to tell the others.
bool LevelCollectives::arrive_at_node(NodeSync& line, const Team& node, Epoch epoch) {
  line.advance(epoch);
  if (!line.all_reached(epoch)) return false;
  if (node.me != 0) with_.waiter.wake(node.rank_of(0));
  return line.claim(0, epoch);
}

void LevelCollectives::wait_for_node(const NodeSync& line, const Team& node, Epoch epoch,
                                     CallName call) {
  std::uint32_t from = 0;
  if (!line.all_reached(epoch, from))
    with_.waiter.until({.call = call, .team = node.number},
                       [&] { return line.all_reached(epoch, from); });
}

// Between the leaders by dissemination, see Group::barrier().
void LevelCollectives::sync(Team& team, CallName call) {
  Levels& levels = *team.levels;
  Team& node = levels.node;
  const Epoch come = node.epoch + 1;
  const Epoch gone = node.epoch += 2;
  NodeSync line(NodeTeam(with_.memory, node), node.me);
  NodeExchange exchange(with_, levels, ++levels.exchanges, call);
  const Group& nodes = exchange.nodes();
  if (arrive_at_node(line, node, come)) exchange.write(nodes.right(1), 0, {});
  if (!levels.is_leader()) {
    node_.wait_for_member(line, node, 0, gone, call);
    return line.arrive(gone);
  }
  exchange.read(nodes.left(1), 0, {});
  wait_for_node(line, node, come, call);
  for (std::uint32_t round = 1; round < rounds_for(nodes.size()); ++round) {
    exchange.write(nodes.right(1U << round), round, {});
    exchange.read(nodes.left(1U << round), round, {});
  }
  line.arrive(gone);
  line.ring_sleepers(gone);
}

}  // namespace gondwana
