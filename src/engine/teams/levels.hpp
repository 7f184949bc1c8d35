// A team whose members are on several nodes, seen from one of them: its members here, and the
// member that speaks for each node.
//
// A node has a block of ranks and a team goes in equal steps, so the members of a node are
// neighbours in the team: what each node has combined of its own members, one node after the other,
// is in the order of the members.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/teams/team.hpp"

namespace gondwana {

struct Levels {
  static constexpr std::uint32_t most_nodes = 1U << 18;

  // The members on this node, as a team of their own with the same number: its lines and scratch
  // are those of this node. Its epoch counts here alone.
  Team node;
  std::vector<Rank> leaders;           // of every node the first member, in their order
  std::vector<std::uint32_t> borders;  // first member of each node in the team, and the team's size
  std::uint32_t me;                    // this node among them
  // How often the nodes have exchanged words; the same on all members.
  std::uint64_t exchanges = 0;

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(leaders.size()); }
  bool is_leader() const { return node.me == 0; }
  std::uint32_t first_member() const { return borders[me]; }
  // The node of a member.
  std::uint32_t node_of(std::uint32_t member) const {
    const auto behind = std::ranges::upper_bound(borders, member);
    return static_cast<std::uint32_t>(behind - borders.begin()) - 1;
  }
};

// The levels of a team that has members on several nodes, all of them known. Null for other teams,
// and for more than most_nodes. All members find the same, since all know all nodes, or none.
std::shared_ptr<Levels> levels_of(const NodeMemory& memory, const Team& team,
                                  std::uint64_t exchanges);

}  // namespace gondwana
