// Addresses of the Internet protocols, in one form for both.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>

#include "bootstrap/unique_id/unique_id.hpp"

namespace gondwana {

InternetAddress loopback_address();
// Nothing for another family, and for addresses that need an interface's name.
std::optional<InternetAddress> address_in(const sockaddr& address);
// "10.0.0.1" or "2001:db8::1".
std::string text_of(const InternetAddress& address);

struct SocketAddress {
  sockaddr_storage value{};
  socklen_t length = 0;
};
SocketAddress socket_address(const InternetAddress& address, std::uint16_t port);

}  // namespace gondwana
