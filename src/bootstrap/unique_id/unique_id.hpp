// A unique id: 128 bytes by which processes that no launcher of ours started become a job. One
// process makes it and passes it on in any way; see StartTable for what follows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bootstrap/unique_id/keyed_hash.hpp"
#include "core/result.hpp"
#include "core/types.hpp"

namespace gondwana {

inline constexpr std::size_t unique_id_size = 128;
using UniqueIdBytes = std::array<std::byte, unique_id_size>;

// An IPv6 address, or an IPv4 address in the form of one (::ffff:10.0.0.1).
using InternetAddress = std::array<std::byte, 16>;

struct UniqueId {
  static constexpr std::size_t most_addresses = 4;

  std::uint64_t build = 0;    // of the process that made it
  std::uint64_t machine = 0;  // where that process is: machine_number()
  HashKey key{};              // random
  std::uint16_t port = 0;
  std::vector<InternetAddress> addresses;  // at most `most_addresses`
};

UniqueIdBytes write_unique_id(const UniqueId& id);
Result<UniqueId> read_unique_id(const UniqueIdBytes& bytes);

// Equal in builds whose processes may share memory.
std::uint64_t build_number();
// Equal for processes that reach each other by the loopback address.
std::uint64_t machine_number();

}  // namespace gondwana
