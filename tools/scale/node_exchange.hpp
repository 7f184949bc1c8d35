// The exchange by which a node of a large job gets the addresses of all others, and its rank gets
// the memory. The messages are encoded and decoded by the code of launcher and guardian. Their
// number and size are added to `said`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/result.hpp"
#include "figures.hpp"
#include "memory/node_memory.hpp"

namespace gondwana::scale {

inline constexpr std::uint64_t tag = 0x5ca1'ab1e;  // of the job

// Makes the memory of a node, and exchanges the messages with which a rank gets it from its
// guardian.
Result<std::shared_ptr<NodeMemory>> make_memory(const NodeShare& share, std::optional<Rank> self,
                                                Sent& said);

// Rank 0 is alone on node 0. Each other node has `node_ranks` ranks; the last one may have fewer.
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

// Makes the memory of node 0, which contains the addresses of all nodes.
Result<std::shared_ptr<NodeMemory>> make_node(const JobShape& shape, Sent& said);

}  // namespace gondwana::scale
