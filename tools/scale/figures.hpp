// What a rank and its node need in a job of a given size.
#pragma once

#include <cstdint>

namespace gondwana::scale {

// Messages that a node sends. The other nodes send as many.
struct Sent {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t steps = 0;  // times that a rank waits for what others send
};

struct Figures {
  std::uint32_t nodes = 1;
  std::uint64_t rank_bytes = 0;  // that one rank has allocated
  std::uint64_t node_bytes = 0;  // of memory that the ranks of a node share, in pages that are used
  Sent launch;                   // between the launcher and a node, both ways
  Sent start;                    // of the engine
  std::uint64_t connections = 0;  // of a node to others, after the start
  Sent barrier;                   // one of all ranks
  std::uint64_t start_us = 0;     // processor time of a rank
  std::uint64_t barrier_us = 0;
};

}  // namespace gondwana::scale
