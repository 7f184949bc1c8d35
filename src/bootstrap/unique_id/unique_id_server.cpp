#include "bootstrap/unique_id/unique_id_server.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>

#include "bootstrap/job_memory.hpp"
#include "bootstrap/unique_id/internet.hpp"
#include "bootstrap/unique_id/start_table.hpp"
#include "core/machine.hpp"
#include "core/print_error.hpp"
#include "core/signals.hpp"
#include "core/start_thread.hpp"

namespace gondwana {
namespace {

constexpr std::size_t longest_said = 2048;
// A connection that says nothing for this time is a stranger.
constexpr std::uint64_t greeting_ns = 10 * second_ns;
// Connections that have not checked in yet.
constexpr std::size_t most_unknown = 256;
// The process has no descriptor left: another one may close soon.
constexpr int pause_ms = 100;
// Refusals that are printed. All are counted.
constexpr std::uint64_t most_printed = 8;

Error cannot(std::string_view what) {
  return {Errc::refused, fmt::format("cannot {}: {}{}", what, std::strerror(errno),
                                     errno == EMFILE ? "; raise ulimit -n" : "")};
}

Result<std::uint16_t> port_of(int door) {
  sockaddr_in6 address{};
  socklen_t length = sizeof address;
  if (::getsockname(door, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    return cannot("get the port of a unique id");
  // IPv4 has it at the same place.
  return ntohs(address.sin6_port);
}

// A port that a user named may have been used before.
bool listen_on(int door, const sockaddr* address, socklen_t length) {
  const int yes = 1;
  ::setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  return ::bind(door, address, length) == 0 && ::listen(door, SOMAXCONN) == 0;
}

// Both protocols, or IPv4 alone where the kernel has no IPv6. On loopback only if the machine has
// no other address: then nobody else can even try.
Result<UniqueFd> open_door(bool is_local, std::uint16_t port) {
  UniqueFd door(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int no = 0;
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(port);
  if (!is_local && door &&
      ::setsockopt(door.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) == 0 &&
      listen_on(door.get(), reinterpret_cast<sockaddr*>(&any), sizeof any))
    return door;
  door = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in any4{};
  any4.sin_family = AF_INET;
  any4.sin_port = htons(port);
  any4.sin_addr.s_addr = htonl(is_local ? INADDR_LOOPBACK : INADDR_ANY);
  if (!door || !listen_on(door.get(), reinterpret_cast<sockaddr*>(&any4), sizeof any4))
    return cannot(port == 0 ? "listen for the ranks of a unique id"
                            : fmt::format("listen at port {} for the other ranks", port));
  return door;
}

}  // namespace

std::vector<InternetAddress> own_addresses() {
  std::vector<InternetAddress> result;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return {loopback_address()};
  for (const int family : {AF_INET, AF_INET6})
    for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next) {
      const bool is_usable = entry->ifa_addr != nullptr && (entry->ifa_flags & IFF_UP) != 0 &&
                             (entry->ifa_flags & IFF_LOOPBACK) == 0 &&
                             entry->ifa_addr->sa_family == family;
      if (!is_usable || result.size() == UniqueId::most_addresses) continue;
      if (const auto address = address_in(*entry->ifa_addr)) result.push_back(*address);
    }
  ::freeifaddrs(all);
  if (result.empty()) result.push_back(loopback_address());
  return result;
}

// The connections, as the thread sees them.
class UniqueIdServer::Desk {
 public:
  Desk(const UniqueId& id, int door, int stop)
      : table_(id.key, id.build), door_(door), stop_(stop) {}

  bool is_over() const { return table_.is_over(); }
  std::uint32_t refused() const { return static_cast<std::uint32_t>(table_.refused()); }
  // Nothing: the server ends.
  bool wait();
  void work();
  void close_all() { guests_.clear(); }

 private:
  struct Connection {
    UniqueFd socket;
    std::string from;            // for messages
    std::string text;            // after the last line
    std::uint64_t until_ns = 0;  // it must have said something; 0: it has
  };

  void admit();
  void hear(Guest guest);
  void drop(Guest guest);
  void perform(const StartReplies& replies);
  void report(const Connection& connection, std::string_view sentence);
  void drop_silent();

  StartTable table_;
  int door_;
  int stop_;
  Guest next_ = 1;
  std::map<Guest, Connection> guests_;
  std::vector<pollfd> polled_;
  std::vector<Guest> polled_guests_;
};

bool UniqueIdServer::Desk::wait() {
  constexpr int second_ms = 1000;
  polled_ = {{stop_, POLLIN, 0}, {door_, POLLIN, 0}};
  polled_guests_ = {0, 0};
  bool is_any_silent = false;
  for (const auto& [number, connection] : guests_) {
    polled_.push_back({connection.socket.get(), POLLIN, 0});
    polled_guests_.push_back(number);
    is_any_silent |= connection.until_ns != 0;
  }
  const int ready = ::poll(polled_.data(), polled_.size(), is_any_silent ? second_ms : -1);
  return (ready >= 0 || errno == EINTR) && polled_[0].revents == 0;
}

void UniqueIdServer::Desk::work() {
  for (std::size_t i = 2; i < polled_.size(); ++i)
    if (polled_[i].revents != 0) hear(polled_guests_[i]);
  if (polled_[1].revents != 0) admit();
  drop_silent();
}

void UniqueIdServer::Desk::admit() {
  sockaddr_storage from{};
  socklen_t length = sizeof from;
  UniqueFd socket(
      ::accept4(door_, reinterpret_cast<sockaddr*>(&from), &length, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) {
    if (errno == EMFILE || errno == ENFILE) ::poll(nullptr, 0, pause_ms);
    return;
  }
  const auto silent =
      std::ranges::count_if(guests_, [](const auto& guest) { return guest.second.until_ns != 0; });
  const Result<std::uint64_t> number = random_number();
  if (!number || static_cast<std::size_t>(silent) >= most_unknown) return;
  const auto address = address_in(*reinterpret_cast<const sockaddr*>(&from));
  guests_[next_] = {std::move(socket), address ? text_of(*address) : "an unknown address", "",
                    monotonic_ns() + greeting_ns};
  table_.on_come(next_++, *number);
}

void UniqueIdServer::Desk::hear(Guest guest) {
  const auto found = guests_.find(guest);
  if (found == guests_.end()) return;
  std::array<char, longest_said> bytes{};
  // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): the socket does not block
  const ssize_t count = ::recv(found->second.socket.get(), bytes.data(), bytes.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return drop(guest);
  std::string text = std::move(found->second.text) + std::string(bytes.data(), count);
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    const std::string line = text.substr(0, end);
    text.erase(0, end + 1);
    perform(table_.on_line(guest, line));
    if (!guests_.contains(guest)) return;
  }
  // What is no line of ours is never one.
  if (text.size() > longest_said) perform(table_.on_line(guest, ""));
  if (guests_.contains(guest)) guests_[guest].text = text.size() > longest_said ? "" : text;
}

void UniqueIdServer::Desk::drop(Guest guest) {
  const auto found = guests_.extract(guest);
  const std::uint64_t refused = table_.refused();
  const StartReplies replies = table_.on_gone(guest);
  if (table_.refused() != refused)
    report(found.mapped(), "refused it left, because its unique id or secret is a different one");
  perform(replies);
}

void UniqueIdServer::Desk::perform(const StartReplies& replies) {
  for (const StartReply& reply : replies) {
    const auto found = guests_.find(reply.to);
    if (found == guests_.end()) continue;
    if (reply.closes) report(found->second, reply.line);
    if (reply.line == "admitted") found->second.until_ns = 0;
    const std::string line = reply.line + "\n";
    // An answer is short, and a rank reads it: a full socket is that of no rank.
    const bool is_sent = ::send(found->second.socket.get(), line.data(), line.size(),
                                MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
    if (reply.closes || !is_sent) drop(reply.to);
  }
}

void UniqueIdServer::Desk::report(const Connection& connection, std::string_view sentence) {
  if (table_.refused() > most_printed) return;
  const std::size_t blank = sentence.find(' ');
  print_error("gondwana: unique id: refused a connection from {}, number {}: {}\n", connection.from,
              table_.refused(), sentence.substr(blank + 1));
}

void UniqueIdServer::Desk::drop_silent() {
  const std::uint64_t now = monotonic_ns();
  std::vector<Guest> silent;
  for (const auto& [number, connection] : guests_)
    if (connection.until_ns != 0 && now > connection.until_ns) silent.push_back(number);
  for (const Guest guest : silent) drop(guest);
}

Result<std::unique_ptr<UniqueIdServer>> UniqueIdServer::open() {
  HashKey key{};
  for (std::uint64_t& word : key) {
    const Result<std::uint64_t> random = random_number();
    if (!random) return random.error();
    word = *random;
  }
  return open({own_addresses().front() == loopback_address(), 0, key});
}

Result<std::unique_ptr<UniqueIdServer>> UniqueIdServer::open(const Place& place) {
  std::unique_ptr<UniqueIdServer> server(new UniqueIdServer);
  Result<UniqueFd> door = open_door(place.is_local, place.port);
  if (!door) return door.error();
  server->door_ = *std::move(door);
  server->stop_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  if (!server->stop_) return cannot("listen for the ranks of a unique id");
  const Result<std::uint16_t> port = port_of(server->door_.get());
  if (!port) return port.error();
  server->id_ = {build_number(), machine_number(), place.key, *port, own_addresses()};
  server->desk_ = std::make_unique<Desk>(server->id_, server->door_.get(), server->stop_.get());
  const SignalsBlocked blocked;
  Result<std::thread> thread = start_thread("that serves the ranks of a unique id",
                                            [self = server.get()] { self->run(*self->desk_); });
  if (!thread) return thread.error();
  server->thread_ = *std::move(thread);
  return server;
}

void UniqueIdServer::run(Desk& desk) {
  while (desk.wait()) {
    const std::scoped_lock lock(turn_);
    desk.work();
    count(desk.refused());
    if (desk.is_over()) break;
  }
  const std::scoped_lock lock(turn_);
  desk.close_all();
  door_.reset();
  is_over_.store(true, std::memory_order_release);
}

void UniqueIdServer::count(std::uint32_t refused) {
  if (shown_ != nullptr) shown_->fetch_add(refused - refused_, std::memory_order_relaxed);
  refused_ = refused;
}

UniqueIdServer::~UniqueIdServer() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

// The thread does not exist here, so it cannot be joined.
void UniqueIdServer::abandon() {
  door_.reset();
  stop_.reset();
  desk_->close_all();
  new std::thread(std::move(thread_));
}

}  // namespace gondwana
