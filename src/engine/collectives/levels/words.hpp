// Words between nodes: a few bytes that one node writes and another reads once for each exchange.
// They travel as mail that is carried out where its reader waits for it.
#pragma once

#include "engine/collectives/reference/group.hpp"
#include "memory/layout.hpp"

namespace gondwana {

// In the system part of the leaders' arenas: a few bytes, followed by the number of the exchange.
struct NodeWords {
  static constexpr std::size_t most_bytes = 16;
  static constexpr std::uint32_t places = 19;  // of words in an exchange
  static constexpr std::uint32_t most_rounds = places - 1;
  static_assert(Levels::most_nodes <= 1U << most_rounds);

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

// The nodes of a team in one exchange.
class NodeExchange {
 public:
  NodeExchange(const CollectiveResources& with, const Levels& levels, std::uint64_t number,
               CallName call)
      : with_(with), levels_(levels), nodes_(with, levels, call), number_(number), call_(call) {}

  Group& nodes() { return nodes_; }
  // `place` names the bytes in the exchange. It is written by one node, and again for the exchange
  // after the next only when this one was read. The reader must be in a call.
  void write(std::uint32_t node, std::uint32_t place, Bytes bytes);
  void read(std::uint32_t from, std::uint32_t place, MutableBytes bytes);

 private:
  std::uint32_t team() const { return levels_.node.number; }

  const CollectiveResources& with_;
  const Levels& levels_;
  Group nodes_;
  std::uint64_t number_;
  CallName call_;
};

}  // namespace gondwana
