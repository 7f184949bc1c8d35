#include "memory/node_contact.hpp"

#include <cstring>
#include <span>

namespace gondwana {
namespace {

bool is_plausible(const NodeInfo& info, std::size_t behind) {
  return info.address_size <= NodeInfo::longest_address && info.key_size <= NodeInfo::longest_key &&
         info.address_size + info.key_size == behind && info.host.back() == '\0' &&
         info.network.back() == '\0';
}

void append(std::string& text, Bytes bytes) {
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

NodeContact::NodeContact(const NodeInfo& info, Bytes address, Bytes key) : info_(info) {
  info_.address_size = static_cast<std::uint32_t>(address.size());
  info_.key_size = key.size();
  bytes_.assign(address.begin(), address.end());
  bytes_.insert(bytes_.end(), key.begin(), key.end());
}

std::string NodeContact::pack() const {
  std::string packed;
  append(packed, std::as_bytes(std::span(&info_, 1)));
  append(packed, bytes_);
  return packed;
}

std::optional<NodeContact> NodeContact::unpack(Bytes packed) {
  NodeContact contact;
  if (packed.size() < sizeof(NodeInfo)) return std::nullopt;
  std::memcpy(&contact.info_, packed.data(), sizeof(NodeInfo));
  const Bytes behind = packed.subspan(sizeof(NodeInfo));
  if (!is_plausible(contact.info_, behind.size())) return std::nullopt;
  contact.bytes_.assign(behind.begin(), behind.end());
  return contact;
}

}  // namespace gondwana
