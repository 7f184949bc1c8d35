// How a node of a large job learns to reach all others, and its rank gets the memory: what a
// launcher and a guardian say, encoded and decoded by the code that they use. What was said is
// added to `said`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/result.hpp"
#include "figures.hpp"
#include "memory/node_memory.hpp"

namespace gondwana::scale {

inline constexpr std::uint64_t tag = 0x5ca1'ab1e;  // of the job

// The memory of a node, and what a rank and its guardian say until the rank has it.
Result<std::shared_ptr<NodeMemory>> make_memory(const NodeShare& share, std::optional<Rank> self,
                                                Sent& said);

// Rank 0 is alone on node 0; the other nodes have `node_ranks` ranks each, the last one the rest.
class JobShape {
 public:
  JobShape(std::uint32_t ranks, std::uint32_t node_ranks)
      : ranks_(ranks), node_ranks_(node_ranks) {}

  std::uint32_t nodes() const { return 1 + (ranks_ - 1 + node_ranks_ - 1) / node_ranks_; }
  NodeShare node(std::uint32_t number) const;

 private:
  std::uint32_t ranks_;
  std::uint32_t node_ranks_;
};

// The memory of node 0, which knows all nodes.
Result<std::shared_ptr<NodeMemory>> make_node(const JobShape& shape, Sent& said);

}  // namespace gondwana::scale
