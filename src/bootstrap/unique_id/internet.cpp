#include "bootstrap/unique_id/internet.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace gondwana {
namespace {

InternetAddress of_ipv4(const in_addr& address) {
  InternetAddress result{};
  result[10] = result[11] = std::byte{0xff};
  std::memcpy(&result[12], &address, sizeof address);
  return result;
}

bool is_ipv4(const InternetAddress& address) {
  in6_addr whole{};
  std::memcpy(&whole, address.data(), sizeof whole);
  return IN6_IS_ADDR_V4MAPPED(&whole);
}

}  // namespace

InternetAddress loopback_address() {
  return of_ipv4({htonl(INADDR_LOOPBACK)});
}

std::optional<InternetAddress> address_in(const sockaddr& address) {
  if (address.sa_family == AF_INET)
    return of_ipv4(reinterpret_cast<const sockaddr_in&>(address).sin_addr);
  if (address.sa_family != AF_INET6) return std::nullopt;
  const in6_addr& whole = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (IN6_IS_ADDR_LINKLOCAL(&whole)) return std::nullopt;
  InternetAddress result{};
  std::memcpy(result.data(), &whole, sizeof whole);
  return result;
}

std::string text_of(const InternetAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool is_short = is_ipv4(address);
  ::inet_ntop(is_short ? AF_INET : AF_INET6, &address[is_short ? 12 : 0], text.data(), text.size());
  return text.data();
}

SocketAddress socket_address(const InternetAddress& address, std::uint16_t port) {
  SocketAddress result;
  if (is_ipv4(address)) {
    auto& place = reinterpret_cast<sockaddr_in&>(result.value);
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    std::memcpy(&place.sin_addr, &address[12], sizeof place.sin_addr);
    result.length = sizeof place;
  } else {
    auto& place = reinterpret_cast<sockaddr_in6&>(result.value);
    place.sin6_family = AF_INET6;
    place.sin6_port = htons(port);
    std::memcpy(&place.sin6_addr, address.data(), sizeof place.sin6_addr);
    result.length = sizeof place;
  }
  return result;
}

}  // namespace gondwana
