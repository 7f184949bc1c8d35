#include "report/top/asked_host.hpp"

#include <arpa/inet.h>
#include <strings.h>

#include <array>
#include <string>

namespace gondwana::top {
namespace {

// Removes the port, and the brackets of an address.
std::string host_in(std::string_view header) {
  if (header.starts_with('[')) return std::string(header.substr(1, header.find(']') - 1));
  return std::string(header.substr(0, header.find(':')));
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

bool is_same(const std::string& host, std::string_view name) {
  return ::strcasecmp(host.c_str(), std::string(name).c_str()) == 0;
}

}  // namespace

bool accepts_host(std::string_view header, std::string_view own_name) {
  if (header.empty()) return true;
  const std::string host = host_in(header);
  return is_address(host) || is_same(host, "localhost") || is_same(host, own_name) ||
         is_same(host, own_name.substr(0, own_name.find('.')));
}

}  // namespace gondwana::top
