#include "bootstrap/unique_id/session.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "bootstrap/job_memory.hpp"
#include "bootstrap/unique_id/internet.hpp"
#include "bootstrap/unique_id/start_table.hpp"

namespace gondwana {
namespace {

constexpr int connect_ms = 3000;  // to one address: others may answer
constexpr std::uint32_t reply_seconds = 20;

std::vector<InternetAddress> addresses_of(const UniqueId& id) {
  std::vector<InternetAddress> result = id.addresses;
  if (id.machine == machine_number()) result.insert(result.begin(), loopback_address());
  return result;
}

// Returns the number of the error; 0: it is connected.
int connect_to(int socket, const SocketAddress& address, const Deadline& deadline) {
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address.value), address.length) == 0)
    return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd entry{socket, POLLOUT, 0};
  if (::poll(&entry, 1, std::min(connect_ms, deadline.left_ms())) <= 0) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

// A program that has its port later, or that only looks like the maker of the id.
Error not_the_maker() {
  return {Errc::refused,
          "the process at this port does not have the unique id: the one that made it, or the job "
          "that it started, has ended; make a new unique id for each start (with GONDWANA_MEET: "
          "the secrets of GONDWANA_MEET_SECRET differ)"};
}

Result<UniqueFd> reach(const UniqueId& id, const Deadline& deadline) {
  std::vector<std::string> tried;
  for (const InternetAddress& address : addresses_of(id)) {
    UniqueFd socket(::socket(socket_address(address, id.port).value.ss_family,
                             SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int error =
        socket ? connect_to(socket.get(), socket_address(address, id.port), deadline) : errno;
    if (error == 0) return socket;
    tried.push_back(fmt::format("{} ({})", text_of(address), std::strerror(error)));
  }
  return Error{Errc::peer_lost,
               fmt::format("cannot reach the process that made the unique id, at port {} of {}: it "
                           "has ended, or the job that it started has; make a new unique id for "
                           "each start, and let a process make it that other hosts can reach",
                           id.port, fmt::join(tried, ", "))};
}

}  // namespace

// The other side does not count a connection that ends before it says anything.
bool is_reachable(const UniqueId& id, const Deadline& deadline) {
  return static_cast<bool>(reach(id, deadline));
}

UniqueSession::UniqueSession(const UniqueStart& start)
    : rank_(start.rank),
      size_(start.size),
      job_(fmt::format("unique-{:x}", keyed_hash(start.id.key, {}))) {}

Result<UniqueSession> UniqueSession::open(const UniqueStart& start, const Deadline& deadline) {
  if (start.id.build != build_number())
    return Error{Errc::refused,
                 "the unique id is from a different build of Gondwana; use one installation for "
                 "all ranks"};
  UniqueSession session(start);
  Result<UniqueFd> socket = reach(start.id, deadline);
  if (!socket) return socket.error();
  session.socket_ = *std::move(socket);
  const int yes = 1;
  ::setsockopt(session.socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const Result<void> known = session.check_in(start, deadline);
  if (!known) return known.error();
  return session;
}

Result<void> UniqueSession::check_in(const UniqueStart& start, const Deadline& deadline) {
  const Result<std::uint64_t> number = random_number();
  if (!number) return number.error();
  if (const auto said = say(fmt::format("gondwana-unique-id {:x} {:x}", start.id.build, *number));
      !said)
    return said;
  const auto answer = hear(deadline);
  if (!answer) return answer.error();
  std::uint64_t root_number = 0;
  std::uint64_t proof = 0;
  if (!*answer || std::sscanf((*answer)->c_str(), "root %lx %lx", &root_number, &proof) != 2 ||
      proof != proof_of_root(start.id.key, *number))
    return not_the_maker();
  proof = proof_of_rank(start.id.key, root_number, rank_, size_);
  if (const auto said = say(fmt::format("join {} {} {:x}", rank_, size_, proof)); !said)
    return said;
  const auto admitted = hear(deadline);
  if (!admitted) return admitted.error();
  if (!*admitted || **admitted != "admitted") return not_the_maker();
  return {};
}

Result<void> UniqueSession::put(Round round, std::string_view value) {
  return say(fmt::format("put {} {}", name_of(round), value));
}

Result<bool> UniqueSession::fence(const Deadline& deadline) {
  if (const auto said = say("fence"); !said) return said.error();
  const auto answer = hear(deadline);
  if (!answer) return answer.error();
  if (!*answer) return missing_ranks(deadline);
  return true;
}

Error UniqueSession::missing_ranks(const Deadline& waited) {
  const Deadline soon(reply_seconds);
  constexpr std::string_view beginning = "missing ";
  const Result<void> said = say("missing");
  const auto answer = said ? hear(soon) : said.error();
  const bool is_known = answer && *answer && (*answer)->starts_with(beginning);
  const std::string ranks = is_known ? (*answer)->substr(beginning.size()) : "unknown";
  return {Errc::peer_lost,
          fmt::format("of {} ranks these did not come within {} s (GONDWANA_JOIN_TIMEOUT): {}. "
                      "Does every process pass this unique id, and its own rank?",
                      size_, waited.seconds(), ranks)};
}

Result<std::string> UniqueSession::get(Round round, std::uint32_t of_rank) {
  if (const auto said = say(fmt::format("get {} {}", name_of(round), of_rank)); !said)
    return said.error();
  const auto answer = hear(Deadline(reply_seconds));
  if (!answer) return answer.error();
  constexpr std::string_view beginning = "value ";
  if (!*answer || !(*answer)->starts_with(beginning))
    return Error{Errc::malformed, fmt::format("rank {} has published no data", of_rank)};
  return (*answer)->substr(beginning.size());
}

Result<void> UniqueSession::say(std::string_view line) const {
  const std::string text = std::string(line) + "\n";
  if (::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
      static_cast<ssize_t>(text.size()))
    return {};
  return Error{Errc::peer_lost, "the process that made the unique id has ended"};
}

Result<std::optional<std::string>> UniqueSession::hear(const Deadline& deadline) {
  std::size_t end = text_.find('\n');
  while (end == std::string::npos) {
    pollfd entry{socket_.get(), POLLIN, 0};
    const int ready = ::poll(&entry, 1, deadline.left_ms());
    if (ready == 0) return std::optional<std::string>();
    std::array<char, 2048> bytes{};
    const ssize_t count = ready < 0 ? -1 : ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return Error{Errc::peer_lost, "the process that made the unique id has ended"};
    text_.append(bytes.data(), static_cast<std::size_t>(count));
    end = text_.find('\n');
  }
  std::string line = text_.substr(0, end);
  text_.erase(0, end + 1);
  for (const std::string_view bad : {"refused ", "ended "})
    if (line.starts_with(bad)) return Error{Errc::refused, line.substr(bad.size())};
  return std::optional(std::move(line));
}

}  // namespace gondwana
