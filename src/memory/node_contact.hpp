// The address of a node, as a value. Its agent writes it, and launchers carry it to all nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memory/node_entry.hpp"

namespace gondwana {

class NodeContact {
 public:
  NodeContact() = default;
  // The sizes in `info` are set to those of the address and the key.
  NodeContact(const NodeInfo& info, Bytes address, Bytes key);

  const NodeInfo& info() const { return info_; }
  Bytes address() const { return Bytes(bytes_).first(info_.address_size); }  // of its agent
  Bytes key() const { return Bytes(bytes_).subspan(info_.address_size); }    // for all its arenas

  // The info, the address and the key, concatenated.
  std::string pack() const;
  // Nothing if the bytes are invalid.
  static std::optional<NodeContact> unpack(Bytes packed);

 private:
  NodeInfo info_{};
  std::vector<std::byte> bytes_;  // the address and the key
};

}  // namespace gondwana
