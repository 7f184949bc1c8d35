// What the HTTP module gives to `gondwana top --serve`: a server, by libmicrohttpd. One build makes
// both, so C++ types may cross.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace gondwana::http {

// An address of this host, with a port; 0: any free one.
struct Address {
  std::string host;  // numeric: "127.0.0.1", "::1"
  std::uint16_t port = 0;
};

struct Site {
  std::string path;          // of the one page: "/metrics"
  std::string content_type;  // of it
  std::function<std::string()> page;
  std::function<bool(std::string_view header)> is_asked_as;  // whether that Host header is ours
  std::function<void(std::uint16_t port)> on_start;
  std::function<bool()> goes_on;  // asked several times a second
};

inline constexpr const char* http_symbol = "gondwana_http_serve";

// Answers GET and HEAD until goes_on() says no.
using ServeHttp = void (*)(const Address& address, const Site& site, Result<void>* done);

}  // namespace gondwana::http
