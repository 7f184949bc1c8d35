#include "report/top/serve.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <thread>

#include "base/modules.hpp"
#include "core/host_name.hpp"
#include "core/parse.hpp"
#include "report/top/asked_host.hpp"
#include "report/top/metrics.hpp"
#include "report/top/signals.hpp"
#include "report/top/watcher.hpp"
#include "report/why/wait_graph.hpp"

namespace gondwana::top {
namespace {

constexpr const char* loopback = "127.0.0.1";
constexpr std::uint16_t default_port = 9750;
constexpr std::chrono::milliseconds check_interval{20};

void print_url(const std::string& host, std::uint16_t port) {
  const bool is_six = host.find(':') != std::string::npos;
  fmt::print("http://{}{}{}:{}/metrics\n", is_six ? "[" : "", host, is_six ? "]" : "", port);
  std::fflush(stdout);
}

}  // namespace

Result<http::Address> parse_address(std::string_view text) {
  if (text.empty()) return http::Address{loopback, default_port};
  const std::size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  if (has_brackets) host = host.substr(1, host.size() - 2);
  const bool is_clear = has_brackets || host.find(':') == std::string_view::npos;
  const Result<std::uint64_t> port = parse_number(text.substr(colon + 1), 0, 65535);
  if (!port || !is_clear)
    return Error{
        Errc::invalid_argument,
        fmt::format("--serve \"{}\": expected an address and a port, such as {}:{} or [::1]:{}",
                    text, loopback, default_port, default_port)};
  return http::Address{std::string(host.empty() ? loopback : host),
                       static_cast<std::uint16_t>(*port)};
}

Result<void> serve(hosts::JobView& job, const http::Address& address,
                   std::chrono::milliseconds interval) {
  const Result<void*> function = find_in_module("libgondwana_http.so", http::http_symbol);
  if (!function)
    return Error{Errc::missing, fmt::format("--serve needs the module of Gondwana that uses "
                                            "libmicrohttpd: {}",
                                            function.error().text)};
  const Signals signals({SIGINT, SIGTERM, SIGHUP});
  Watcher watcher(job, interval);
  const auto continues = [&] {
    if (std::ferror(stdout) != 0 || signals.take() != 0) return false;
    const std::optional<jobs::JobSeen> seen = watcher.last();
    return !seen || (!seen->seen.empty() && !why::is_over(*seen));
  };
  while (!watcher.last())  // so that even the first page has numbers
    if (std::this_thread::sleep_for(check_interval); !continues()) return {};
  const http::Site site{
      .path = "/metrics",
      .content_type = metrics_type,
      .page = [&] { return to_metrics(*watcher.last()); },
      .accepts_host =
          [](std::string_view header) { return accepts_host(header, host_name().data()); },
      .on_start = [&](std::uint16_t port) { print_url(address.host, port); },
      .continues = continues};
  Result<void> done;
  reinterpret_cast<http::ServeHttp>(*function)(address, site, &done);
  return done;
}

}  // namespace gondwana::top
