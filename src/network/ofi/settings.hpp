// Which network a job goes by: what the user says, and which of the machine's networks that is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace gondwana::ofi {

// A network in CIDR notation, such as 10.1.0.0/16: IPv4.
struct Network {
  std::uint32_t address = 0;  // host byte order
  std::uint32_t mask = 0;

  bool contains(std::uint32_t other) const { return (other & mask) == address; }
};

Result<Network> parse_network(std::string_view text);

struct Settings {
  std::string provider;            // empty: the first of `preferred` that is here
  std::optional<Network> network;  // nothing: the first that is not this machine alone
};

// From what GONDWANA_PROVIDER and GONDWANA_NETWORK say; empty: nothing.
Result<Settings> make_settings(std::string provider, std::string_view network);

}  // namespace gondwana::ofi
