// A barrier over shared memory: each member writes its line and reads the lines of the others.
#include <bit>

#include "engine/collectives/node/node_collectives.hpp"

namespace gondwana {
namespace {

// Up to this number of members, polling all of them is faster than polling groups.
constexpr std::uint32_t max_in_one_group = 32;

// About the square root, so that the number of groups equals their size.
std::uint32_t group_size(std::uint32_t members) {
  return std::uint32_t{1} << std::bit_width(members) / 2;
}

}  // namespace

void NodeCollectives::sync(Team& team, CallName call) {
  with_.lane.counters().add(Count::syncs);
  if (team.size <= max_in_one_group) return meet(team, call, line_of(team));
  meet(team, call, GroupedNodeSync(NodeTeam(with_.memory, team), team.me, group_size(team.size)));
}

template <typename Sync>
void NodeCollectives::meet(Team& team, CallName call, Sync line) {
  const Epoch epoch = ++team.epoch;
  line.arrive(epoch);
  typename Sync::Progress progress{};
  if (!line.all_reached(epoch, progress))
    with_.waiter.until({.call = call, .team = team.number},
                       [&] { return line.all_reached(epoch, progress); });
  line.ring_sleepers(epoch);
}

void NodeCollectives::wait_for_member(const NodeSync& line, const Team& team, std::uint32_t member,
                                      Epoch epoch, CallName call) {
  if (line.reached(member, epoch)) return;
  with_.waiter.until({.call = call, .peer = index(team.rank_of(member)), .team = team.number},
                     [&] { return line.reached(member, epoch); });
}

}  // namespace gondwana
