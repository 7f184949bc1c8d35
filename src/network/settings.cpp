#include "network/settings.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include "core/parse.hpp"

namespace gondwana::network {

Result<Subnet> parse_subnet(std::string_view text) {
  const auto refuse = [&] {
    return Error{Errc::invalid_argument,
                 fmt::format("is {}: expected a network such as 10.1.0.0/16", text)};
  };
  const std::size_t slash = text.find('/');
  in_addr address{};
  if (::inet_pton(AF_INET, std::string(text.substr(0, slash)).c_str(), &address) != 1)
    return refuse();
  std::uint64_t bits = 32;
  if (slash != std::string_view::npos) {
    const Result<std::uint64_t> number = parse_number(text.substr(slash + 1), 0, 32);
    if (!number) return refuse();
    bits = *number;
  }
  const std::uint32_t mask = bits == 0 ? 0 : ~std::uint32_t{0} << (32 - bits);
  return Subnet{ntohl(address.s_addr) & mask, mask};
}

Result<Settings> settings_of(const Options& options) {
  Settings settings{.library = options.network_library, .provider = options.provider, .subnet = {}};
  if (options.network.empty()) return settings;
  const Result<Subnet> wanted = parse_subnet(options.network);
  if (!wanted) return Error{wanted.error().code, "GONDWANA_NETWORK " + wanted.error().text};
  settings.subnet = *wanted;
  return settings;
}

}  // namespace gondwana::network
