// The user's choice of a network, and the corresponding subnet of this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/options.hpp"
#include "core/result.hpp"

namespace gondwana::network {

// In CIDR notation, for example 10.1.0.0/16; IPv4 only.
struct Subnet {
  std::uint32_t address = 0;  // host byte order
  std::uint32_t mask = 0;

  bool contains(std::uint32_t other) const { return (other & mask) == address; }
  // Whether its addresses are valid on this machine only.
  bool is_loopback() const { return address >> 24 == 127; }
};

Result<Subnet> parse_subnet(std::string_view text);

struct Settings {
  std::string library;           // a name in the table of networks; empty: libfabric
  std::string provider;          // of the library; empty: the library chooses
  std::optional<Subnet> subnet;  // none: the first that reaches other machines
};

// From GONDWANA_NETWORK_LIBRARY, GONDWANA_PROVIDER and GONDWANA_NETWORK.
Result<Settings> settings_of(const Options& options);

}  // namespace gondwana::network
