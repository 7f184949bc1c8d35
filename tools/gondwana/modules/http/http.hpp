// The interface of the HTTP module for `gondwana top --serve`: a server that uses libmicrohttpd.
// One build makes both, so they can share C++ types.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace gondwana::http {

// An address of this host and a port; 0: any free port.
struct Address {
  std::string host;  // numeric: "127.0.0.1", "::1"
  std::uint16_t port = 0;
};

struct Site {
  std::string path;          // the path of the only page: "/metrics"
  std::string content_type;  // content type of that page
  std::function<std::string()> page;
  std::function<bool(std::string_view header)> accepts_host;  // whether the header names this host
  std::function<void(std::uint16_t port)> on_start;
  std::function<bool()> continues;  // called several times a second
};

inline constexpr const char* http_symbol = "gondwana_http_serve";

// Answers GET and HEAD until continues() returns false.
using ServeHttp = void (*)(const Address& address, const Site& site, Result<void>* done);

}  // namespace gondwana::http
