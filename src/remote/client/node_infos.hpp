// The infos of all nodes, and the node of each rank. Valid once all infos are known.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "memory/node_memory.hpp"

namespace gondwana::remote {

class NodeInfos {
 public:
  explicit NodeInfos(std::shared_ptr<NodeMemory> memory) : memory_(std::move(memory)) {}

  const NodeInfo& operator[](std::uint32_t node) const { return memory_->entry(node).info; }
  Bytes address(std::uint32_t node) const { return memory_->nodes().address(node); }
  Bytes key(std::uint32_t node) const { return memory_->nodes().key(node); }

  std::uint32_t node_of(Rank rank) const { return memory_->roster().where(rank).node; }

 private:
  std::shared_ptr<NodeMemory> memory_;
};

}  // namespace gondwana::remote
