// Which network a job goes by: what the user says, and which of the machine's networks that is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/options.hpp"
#include "core/result.hpp"

namespace gondwana::network {

// In CIDR notation, such as 10.1.0.0/16: IPv4.
struct Subnet {
  std::uint32_t address = 0;  // host byte order
  std::uint32_t mask = 0;

  bool contains(std::uint32_t other) const { return (other & mask) == address; }
  // Whether it is of addresses that only this machine has.
  bool is_loopback() const { return address >> 24 == 127; }
};

Result<Subnet> parse_subnet(std::string_view text);

struct Settings {
  std::string library;           // a name in the table of networks; empty: libfabric
  std::string provider;          // of the library; empty: the library chooses
  std::optional<Subnet> subnet;  // nothing: the first that is not this machine alone
};

// From GONDWANA_NETWORK_LIBRARY, GONDWANA_PROVIDER and GONDWANA_NETWORK.
Result<Settings> settings_of(const Options& options);

}  // namespace gondwana::network
