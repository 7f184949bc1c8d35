// How to reach a node, as a value: what its agent says of itself, and launchers carry to all nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memory/node_entry.hpp"

namespace gondwana {

class NodeContact {
 public:
  NodeContact() = default;
  // The sizes in `info` become those of the address and the key.
  NodeContact(const NodeInfo& info, Bytes address, Bytes key);

  const NodeInfo& info() const { return info_; }
  Bytes address() const { return Bytes(bytes_).first(info_.address_size); }  // of its agent
  Bytes key() const { return Bytes(bytes_).subspan(info_.address_size); }    // of all its arenas

  // The info, the address and the key, one after the other.
  std::string pack() const;
  // Nothing where the bytes are garbled.
  static std::optional<NodeContact> unpack(Bytes packed);

 private:
  NodeInfo info_{};
  std::vector<std::byte> bytes_;  // the address and the key
};

}  // namespace gondwana
