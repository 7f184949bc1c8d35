// The infos of all nodes, and the node of each rank. Valid once all infos are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "memory/node_memory.hpp"

namespace gondwana::remote {

class NodeInfos {
 public:
  explicit NodeInfos(std::shared_ptr<NodeMemory> memory) : memory_(std::move(memory)) {}

  const NodeInfo& operator[](std::uint32_t node) const { return memory_->entry(node).info; }
  Bytes address(std::uint32_t node) const { return memory_->nodes().address(node); }
  Bytes key(std::uint32_t node) const { return memory_->nodes().key(node); }

  std::uint32_t node_of(Rank rank) {
    for (auto node = static_cast<std::uint32_t>(first_of_.size()); node < memory_->plan().nodes;
         ++node)
      first_of_.push_back((*this)[node].first);
    const auto behind = std::ranges::upper_bound(first_of_, index(rank));
    return static_cast<std::uint32_t>(behind - first_of_.begin()) - 1;
  }

 private:
  std::shared_ptr<NodeMemory> memory_;
  std::vector<std::uint32_t> first_of_;  // rank of each node; filled on first use
};

}  // namespace gondwana::remote
