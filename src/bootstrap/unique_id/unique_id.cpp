#include "bootstrap/unique_id/unique_id.hpp"

#include <cstring>
#include <span>

#include "bootstrap/process_info.hpp"
#include "bootstrap/protocol.hpp"
#include "core/hash.hpp"
#include "memory/layout.hpp"

namespace gondwana {
namespace {

// The bytes, in native byte order. The first word is what NVSHMEM's type has there.
struct Packed {
  std::uint32_t version;
  std::uint16_t port;
  std::uint16_t addresses;
  std::array<char, 8> magic;
  std::uint64_t build;
  std::uint64_t machine;
  HashKey key;
  std::array<InternetAddress, UniqueId::most_addresses> address;
  std::uint64_t checksum;
};
static_assert(sizeof(Packed) <= unique_id_size);

constexpr std::uint32_t id_version = (1U << 16) + unique_id_size;
constexpr std::array<char, 8> id_magic{'g', 'o', 'n', 'd', 'w', 'a', 'n', 'a'};

std::uint64_t checksum_of(const Packed& packed) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&packed);
  return Hash().add(Bytes{bytes, offsetof(Packed, checksum)}).value();
}

}  // namespace

UniqueIdBytes write_unique_id(const UniqueId& id) {
  GONDWANA_ASSERT(id.addresses.size() <= UniqueId::most_addresses, id.addresses.size());
  Packed packed{id_version, id.port,  static_cast<std::uint16_t>(id.addresses.size()),
                id_magic,   id.build, id.machine,
                id.key,     {},       0};
  for (std::size_t i = 0; i < id.addresses.size(); ++i) packed.address[i] = id.addresses[i];
  packed.checksum = checksum_of(packed);
  UniqueIdBytes bytes{};
  std::memcpy(bytes.data(), &packed, sizeof packed);
  return bytes;
}

Result<UniqueId> read_unique_id(const UniqueIdBytes& bytes) {
  Packed packed;
  std::memcpy(&packed, bytes.data(), sizeof packed);
  if (packed.version != id_version || packed.magic != id_magic)
    return Error{Errc::invalid_argument,
                 "these 128 bytes are not a unique id of Gondwana; pass on all bytes that the call "
                 "for a unique id wrote"};
  if (packed.checksum != checksum_of(packed) || packed.addresses > packed.address.size())
    return Error{Errc::invalid_argument,
                 "the unique id was changed on its way; pass on its 128 bytes as they are"};
  UniqueId id{packed.build, packed.machine, packed.key, packed.port, {}};
  id.addresses.assign(packed.address.begin(), packed.address.begin() + packed.addresses);
  return id;
}

std::uint64_t build_number() {
  return Hash().add(memory_fingerprint).add(std::uint64_t{protocol::version}).value();
}

std::uint64_t machine_number() {
  const NodeIdentity node = own_node();
  return Hash().add(node.boot).add(node.network).value();
}

}  // namespace gondwana
