// A team whose members are on several nodes, seen from one of them: who is here, and who speaks for
// each node.
//
// A node has a block of ranks and a team goes in equal steps, so the members of a node are
// neighbours in the team: what each node has combined of its own members, one node after the other,
// is in the order of the members.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/teams/team.hpp"

namespace gondwana {

struct Levels {
  // The members on this node, as a team of their own with the same number: its lines and scratch
  // are those of this node. Its epoch counts here alone.
  Team node;
  std::vector<Rank> leaders;           // of every node the first member, in their order
  std::vector<std::uint32_t> borders;  // their numbers in the team, and that behind the last member
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

// In the system part of the leaders' arenas: what nodes tell each other by mail in barriers and
// small reductions. A few bytes, and behind them the number of the exchange that they are for.
struct NodeWords {
  static constexpr std::size_t most_bytes = 16;
  static constexpr std::uint32_t places = 19;  // of words in an exchange
  static constexpr std::uint32_t most_rounds = places - 1;

  // Two sets: nobody writes for an exchange before the last but one was read.
  static constexpr std::size_t offset(std::uint32_t team, std::uint32_t place,
                                      std::uint64_t exchange) {
    return of_team(team) + (exchange % 2 * places + place) * slot_size;
  }
  static constexpr std::size_t number_offset(std::uint32_t team, std::uint32_t place,
                                             std::uint64_t exchange) {
    return offset(team, place, exchange) + most_bytes;
  }

 private:
  static constexpr std::size_t slot_size = most_bytes + sizeof(std::uint64_t);

  static constexpr std::size_t of_team(std::uint32_t team) {
    return system_area::node_words.at(team);
  }
};

static_assert(NodeWords::offset(0, NodeWords::places, 1) <= NodeWords::offset(1, 0, 0));

}  // namespace gondwana
