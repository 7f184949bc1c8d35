// The table of all nodes in the control memory of a node: an entry for each, followed by the
// addresses and keys in their exact lengths.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memory/layout.hpp"
#include "memory/node_contact.hpp"

namespace gondwana {

class NodeTable {
 public:
  NodeTable(std::byte* control, const ControlLayout& layout) : control_(control), layout_(layout) {}

  NodeEntry& entry(std::uint32_t node) const {
    return shared_at<NodeEntry>(control_, layout_.entry(node));
  }
  Bytes address(std::uint32_t node) const {
    return {control_ + entry(node).contact, entry(node).info.address_size};
  }
  Bytes key(std::uint32_t node) const {
    return {control_ + entry(node).contact + entry(node).info.address_size,
            entry(node).info.key_size};
  }
  NodeContact contact(std::uint32_t node) const {
    return {entry(node).info, address(node), key(node)};
  }
  // The number of the node that has the rank now, plus 1. 0: the rank is where the job started it.
  std::atomic<std::uint32_t>& moved_to(Rank rank) const {
    return shared_at<DeathPlace>(control_, ControlLayout::death(rank)).node;
  }

  // Appends to the data that this object has written. The agent writes only its own node, to be
  // read before all are known. Then one process writes all nodes.
  void write(std::uint32_t node, const NodeContact& contact) {
    entry(node).info = contact.info();
    entry(node).contact = next_;
    for (const Bytes bytes : {contact.address(), contact.key()}) {
      std::ranges::copy(bytes, control_ + next_);
      next_ += bytes.size();
    }
  }

 private:
  std::byte* control_;
  ControlLayout layout_;
  std::size_t next_ = layout_.contacts();
};

}  // namespace gondwana
