// A barrier over common memory: each member writes its line and reads the lines of the others.
#include "engine/collectives/node/node_collectives.hpp"

namespace gondwana {

void NodeCollectives::sync(Team& team, CallName call) {
  with_.lane.counters().add(Count::syncs);
  const Epoch epoch = ++team.epoch;
  NodeSync line = line_of(team);
  line.arrive(epoch);
  std::uint32_t from = 0;
  if (!line.all_reached(epoch, from))
    with_.waiter.until({.call = call, .team = team.number},
                       [&] { return line.all_reached(epoch, from); });
  line.ring_sleepers(epoch);
}

void NodeCollectives::wait_for_member(const NodeSync& line, const Team& team, std::uint32_t member,
                                      Epoch epoch, CallName call) {
  if (line.reached(member, epoch)) return;
  with_.waiter.until({.call = call, .peer = index(team.rank_of(member)), .team = team.number},
                     [&] { return line.reached(member, epoch); });
}

}  // namespace gondwana
