// The resources that a rank and its node need in a job of a given size.
#pragma once

#include <cstdint>

namespace gondwana::scale {

// Messages that a node sends. The other nodes send the same number.
struct Sent {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t steps = 0;  // number of waits of a rank for messages of others
};

struct Figures {
  std::uint32_t nodes = 1;
  std::uint64_t rank_bytes = 0;   // allocated by one rank
  std::uint64_t node_bytes = 0;   // memory that the ranks of a node share, in touched pages
  Sent launch;                    // messages between the launcher and a node, in both directions
  Sent start;                     // messages during the start of the engine
  std::uint64_t connections = 0;  // connections from a node to others, after the start
  Sent barrier;                   // messages of one barrier of all ranks
  std::uint64_t start_us = 0;     // processor time of a rank's start
  std::uint64_t barrier_us = 0;
};

}  // namespace gondwana::scale
