#include "modules/http/http.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <string_view>
#include <thread>

namespace gondwana::http {
namespace {

constexpr std::chrono::milliseconds between_questions{100};
// A client that connects without a request keeps its connection until this timeout, or until many
// others have connected. Then the oldest is closed, so that one user cannot shut out the others.
constexpr unsigned max_connections = 512;
constexpr std::size_t max_unasked = max_connections / 2;
constexpr unsigned idle_s = 10;

// Connections without a complete request, oldest first. Only the server's thread uses them.
class Unasked {
 public:
  void add(MHD_Connection* connection) {
    connections_.push_back(connection);
    if (connections_.size() <= max_unasked) return;
    const MHD_ConnectionInfo* facts =
        ::MHD_get_connection_info(connections_.front(), MHD_CONNECTION_INFO_CONNECTION_FD);
    connections_.pop_front();
    if (facts != nullptr) ::shutdown(facts->connect_fd, SHUT_RDWR);  // the server sees its end
  }
  void remove(MHD_Connection* connection) { std::erase(connections_, connection); }

 private:
  std::deque<MHD_Connection*> connections_;
};

void on_connection(void* argument, MHD_Connection* connection, void** /*context*/,
                   MHD_ConnectionNotificationCode what) {
  auto& unasked = *static_cast<Unasked*>(argument);
  what == MHD_CONNECTION_NOTIFY_STARTED ? unasked.add(connection) : unasked.remove(connection);
}

struct Server {
  const Site& site;
  Unasked unasked = {};
};

struct Stopped {
  void operator()(MHD_Daemon* daemon) const { ::MHD_stop_daemon(daemon); }
};
using Daemon = std::unique_ptr<MHD_Daemon, Stopped>;

MHD_Result reply(MHD_Connection* connection, unsigned status, std::string_view type,
                 const std::string& text) {
  MHD_Response* response = ::MHD_create_response_from_buffer(
      text.size(), const_cast<char*>(text.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  ::MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, std::string(type).c_str());
  ::MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  const MHD_Result queued = ::MHD_queue_response(connection, status, response);
  ::MHD_destroy_response(response);
  return queued;
}

std::size_t host_headers(MHD_Connection* connection) {
  std::size_t count = 0;
  ::MHD_get_connection_values(
      connection, MHD_HEADER_KIND,
      [](void* argument, MHD_ValueKind /*kind*/, const char* name, const char* /*value*/) {
        if (::strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) ++*static_cast<std::size_t*>(argument);
        return MHD_YES;
      },
      &count);
  return count;
}

// Called by the server's thread, once for the header of a request and once for its body.
// NOLINTNEXTLINE(readability-function-size): the parameters are those of libmicrohttpd
MHD_Result answer(void* argument, MHD_Connection* connection, const char* path, const char* method,
                  const char* /*version*/, const char* /*body*/, std::size_t* body_size,
                  void** /*request*/) {
  auto& server = *static_cast<Server*>(argument);
  const Site& site = server.site;
  server.unasked.remove(connection);
  const std::string_view wanted = method;
  constexpr std::string_view text = "text/plain; charset=utf-8";
  if (*body_size != 0) return MHD_NO;
  if (wanted != MHD_HTTP_METHOD_GET && wanted != MHD_HTTP_METHOD_HEAD)
    return reply(connection, MHD_HTTP_METHOD_NOT_ALLOWED, text, "only GET and HEAD\n");
  if (host_headers(connection) > 1)
    return reply(connection, MHD_HTTP_BAD_REQUEST, text, "expected exactly one Host header\n");
  const char* host =
      ::MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  if (!site.accepts_host(host != nullptr ? host : ""))
    return reply(connection, MHD_HTTP_FORBIDDEN, text,
                 "use the address or the name of this host, or localhost\n");
  if (path != site.path)
    return reply(connection, MHD_HTTP_NOT_FOUND, text, fmt::format("see {}\n", site.path));
  return reply(connection, MHD_HTTP_OK, site.content_type, site.page());
}

struct Socket {
  sockaddr_storage storage{};
  bool is_six = false;

  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Result<Socket> resolve(const Address& address) {
  Socket result;
  auto& four = reinterpret_cast<sockaddr_in&>(result.storage);
  auto& six = reinterpret_cast<sockaddr_in6&>(result.storage);
  if (::inet_pton(AF_INET, address.host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(address.port);
    return result;
  }
  if (::inet_pton(AF_INET6, address.host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(address.port);
    result.is_six = true;
    return result;
  }
  return Error{Errc::invalid_argument,
               fmt::format("--serve: {} is not a numeric host address", address.host)};
}

Result<void> serve(const Address& address, const Site& site) {
  const Result<Socket> socket = resolve(address);
  if (!socket) return socket.error();
  const unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD |
                         (socket->is_six ? unsigned{MHD_USE_IPv6} : 0U);
  Server server{site};
  errno = 0;
  const Daemon daemon(::MHD_start_daemon(flags, address.port, nullptr, nullptr, &answer, &server,
                                         MHD_OPTION_NOTIFY_CONNECTION, &on_connection,
                                         &server.unasked, MHD_OPTION_SOCK_ADDR, socket->address(),
                                         MHD_OPTION_CONNECTION_LIMIT, max_connections,
                                         MHD_OPTION_CONNECTION_TIMEOUT, idle_s, MHD_OPTION_END));
  if (daemon == nullptr)
    return Error{Errc::refused,
                 fmt::format("--serve: cannot listen on {} port {}: {}", address.host, address.port,
                             errno != 0 ? std::strerror(errno) : "libmicrohttpd could not start")};
  const MHD_DaemonInfo* facts = ::MHD_get_daemon_info(daemon.get(), MHD_DAEMON_INFO_BIND_PORT);
  site.on_start(facts != nullptr ? facts->port : address.port);
  while (site.continues()) std::this_thread::sleep_for(between_questions);
  return {};
}

}  // namespace
}  // namespace gondwana::http

extern "C" [[gnu::visibility("default")]] void gondwana_http_serve(
    const gondwana::http::Address& address, const gondwana::http::Site& site,
    gondwana::Result<void>* done) {
  *done = gondwana::http::serve(address, site);
}
