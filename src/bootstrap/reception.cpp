#include "bootstrap/reception.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "bootstrap/protocol.hpp"
#include "bootstrap/receive_job.hpp"

namespace gondwana {
namespace {

constexpr std::size_t path_offset = offsetof(sockaddr_un, sun_path);

Result<UniqueFd> make_socket() {
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket)
    return Error{Errc::out_of_memory,
                 fmt::format("no socket to join by: {}", std::strerror(errno))};
  return socket;
}

// An address that the kernel chose, as text and back. Its first byte is zero: it is no file.
Result<std::string> address_of(int socket) {
  sockaddr_un address{};
  socklen_t length = sizeof(address);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    return Error{Errc::refused, fmt::format("a socket without address: {}", std::strerror(errno))};
  std::string text;
  for (std::size_t i = 0; i < length - path_offset; ++i)
    text += fmt::format("{:02x}", static_cast<unsigned char>(address.sun_path[i]));
  return text;
}

struct Address {
  sockaddr_un value{};
  socklen_t length = 0;
};

std::optional<Address> read_address(std::string_view text) {
  Address address;
  address.value.sun_family = AF_UNIX;
  const std::size_t bytes = text.size() / 2;
  if (bytes < 2 || text.size() % 2 != 0 || bytes > sizeof(address.value.sun_path))
    return std::nullopt;
  for (std::size_t i = 0; i < bytes; ++i) {
    unsigned byte = 0;
    if (std::sscanf(std::string(text.substr(2 * i, 2)).c_str(), "%2x", &byte) != 1)
      return std::nullopt;
    address.value.sun_path[i] = static_cast<char>(byte);
  }
  if (address.value.sun_path[0] != '\0') return std::nullopt;
  address.length = static_cast<socklen_t>(path_offset + bytes);
  return address;
}

// Waits until somebody is at the door; nobody where the time was up.
UniqueFd accept_one(int door, const Deadline& deadline) {
  for (;;) {
    pollfd entry{door, POLLIN, 0};
    const int ready = ::poll(&entry, 1, deadline.left_ms());
    if (ready == 0) return {};
    UniqueFd guest(ready < 0 ? -1 : ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC));
    if (guest || (errno != EINTR && errno != ECONNABORTED)) return guest;
  }
}

std::vector<std::uint32_t> not_served(const std::vector<bool>& served) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t rank = 0; rank < served.size(); ++rank)
    if (!served[rank]) result.push_back(rank);
  return result;
}

}  // namespace

Result<Reception> Reception::open(std::uint32_t ranks) {
  Result<JobMemory> memory = JobMemory::create(NodeShare::whole(ranks));
  if (!memory) return memory.error();
  const Result<std::uint64_t> password = random_number();
  if (!password) return password.error();
  Result<UniqueFd> door = make_socket();
  if (!door) return door.error();
  // Nothing but the family: the kernel chooses a name that nobody can take before us.
  const sockaddr any{AF_UNIX, {}};
  if (::bind(door->get(), &any, sizeof(sa_family_t)) != 0 ||
      ::listen(door->get(), static_cast<int>(ranks)) != 0)
    return Error{Errc::refused, fmt::format("no socket to join by: {}", std::strerror(errno))};
  const Result<std::string> address = address_of(door->get());
  if (!address) return address.error();
  Invitation invitation{*address, memory->tag(), *password};
  return Reception(*std::move(memory), *std::move(door), std::move(invitation));
}

Result<Membership> Reception::serve(const Deadline& deadline) && {
  std::vector<bool> served(ranks(), false);
  served[0] = true;
  for (std::uint32_t left = ranks() - 1; left > 0; --left) {
    UniqueFd guest;
    const Result<std::uint32_t> rank = admit(guest, served, deadline);
    if (!rank) return rank.error();
    if (const Result<void> handed = hand_out(*rank, guest.get(), deadline); !handed)
      return handed.error();
    served[*rank] = true;
  }
  return keep_job(std::move(memory_));
}

Result<std::uint32_t> Reception::admit(UniqueFd& guest, const std::vector<bool>& served,
                                       const Deadline& deadline) const {
  for (;;) {
    guest.reset();  // who was turned away learns it now, not when the next one comes
    guest = accept_one(door_.get(), deadline);
    if (!guest) break;
    const std::optional<std::uint32_t> rank = rank_of(guest.get(), deadline);
    if (rank && !served[*rank]) return *rank;
  }
  return Error{Errc::peer_lost,
               fmt::format("rank 0 has waited {} s (GONDWANA_JOIN_TIMEOUT) for ranks that did not "
                           "come for their memory: {}",
                           deadline.seconds(), fmt::join(not_served(served), ", "))};
}

std::optional<std::uint32_t> Reception::rank_of(int guest, const Deadline& deadline) const {
  if (!protocol::is_of_own_user(guest)) return std::nullopt;
  const Result<std::optional<protocol::Received>> received =
      protocol::receive(guest, invitation_.tag, deadline.left_ms());
  if (!received || !*received) return std::nullopt;
  const auto* knock = std::get_if<protocol::Knock>(&(*received)->message);
  if (knock == nullptr || knock->password != invitation_.password || knock->rank >= ranks())
    return std::nullopt;
  return static_cast<std::uint32_t>(knock->rank);
}

Result<void> Reception::hand_out(std::uint32_t rank, int guest, const Deadline& deadline) const {
  for (std::uint32_t number = 0; number < memory_.parcels(); ++number) {
    const JobMemory::Parcel parcel = memory_.parcel(rank, number);
    const Result<void> sent =
        protocol::send(guest, parcel.message, memory_.tag(), parcel.attachment, deadline.left_ms());
    if (!sent) {
      return Error{sent.error().code,
                   fmt::format("rank {} did not take its memory: {}", rank, sent.error().text)};
    }
  }
  return {};
}

Result<Membership> visit(const Invitation& invitation, std::uint32_t rank,
                         const Deadline& deadline) {
  const std::optional<Address> address = read_address(invitation.address);
  if (!address) return Error{Errc::malformed, "the invitation of rank 0 has no address"};
  Result<UniqueFd> socket = make_socket();
  if (!socket) return socket.error();
  if (::connect(socket->get(), reinterpret_cast<const sockaddr*>(&address->value),
                address->length) != 0)
    return Error{Errc::peer_lost, fmt::format("rank 0 is gone: {}", std::strerror(errno))};
  if (!protocol::is_of_own_user(socket->get()))
    return Error{Errc::refused, "the socket of rank 0 belongs to another user"};
  const Result<void> knocked =
      protocol::send(socket->get(), protocol::Knock{invitation.password, rank}, invitation.tag, -1);
  if (!knocked) return knocked.error();
  Result<Membership> self =
      receive_job({socket->get(), invitation.tag, deadline.left_ms(), "rank 0"});
  if (!self) return self.error();
  // The socket goes with the last arena.
  self->next_arena = [ranks = self->plan.ranks, next = std::move(self->next_arena),
                      open = std::make_shared<UniqueFd>(*std::move(socket))](std::uint32_t number) {
    Result<UniqueFd> arena = next(number);
    if (number + 1 == ranks) open->reset();
    return arena;
  };
  return self;
}

}  // namespace gondwana
