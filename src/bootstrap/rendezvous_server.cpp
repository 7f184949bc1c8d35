#include "bootstrap/rendezvous_server.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>

#include "bootstrap/protocol.hpp"
#include "bootstrap/receive_job.hpp"

namespace gondwana {
namespace {

constexpr std::size_t path_offset = offsetof(sockaddr_un, sun_path);

Result<UniqueFd> make_socket() {
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket)
    return Error{Errc::out_of_memory,
                 fmt::format("cannot create a socket for joining: {}", std::strerror(errno))};
  return socket;
}

// An address that the kernel chose, as text and back. Its first byte is zero: it is not a file.
Result<std::string> address_of(int socket) {
  sockaddr_un address{};
  socklen_t length = sizeof(address);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    return Error{Errc::refused,
                 fmt::format("cannot get the address of a socket: {}", std::strerror(errno))};
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

// Waits for the next connection; none after a timeout.
UniqueFd accept_one(int door, const Deadline& deadline) {
  for (;;) {
    pollfd entry{door, POLLIN, 0};
    const int ready = ::poll(&entry, 1, deadline.left_ms());
    if (ready == 0) return {};
    UniqueFd guest(ready < 0 ? -1 : ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC));
    if (guest || (errno != EINTR && errno != ECONNABORTED)) return guest;
  }
}

// The items that rank `rank` of the node gets.
std::vector<JobMemory::Item> items_for(std::uint32_t rank, const JobMemory& memory,
                                       const UniqueFd& lifeline) {
  std::vector<JobMemory::Item> items;
  items.reserve(memory.items() + 1);
  for (std::uint32_t number = 0; number < memory.items(); ++number)
    items.push_back(memory.item(rank, number));
  if (lifeline)
    items.insert(items.begin() + 1,
                 {protocol::Lifeline{index(memory.plan().node_ranks().front())}, lifeline.get()});
  return items;
}

Result<void> hand_out(std::span<const JobMemory::Item> items, std::uint32_t rank, int guest,
                      std::uint64_t tag, const Deadline& deadline) {
  for (const JobMemory::Item& item : items) {
    const Result<void> sent =
        protocol::send(guest, item.message, tag, item.attachment, deadline.left_ms());
    if (!sent) {
      return Error{sent.error().code,
                   fmt::format("rank {} did not receive its memory: {}", rank, sent.error().text)};
    }
  }
  return {};
}

// Follows the Welcome if the job has several nodes.
Result<UniqueFd> receive_lifeline(int socket, std::uint64_t tag, const Deadline& deadline) {
  Result<std::optional<protocol::Received>> received =
      protocol::receive(socket, tag, deadline.left_ms());
  if (!received) return received.error();
  if (!*received || !std::holds_alternative<protocol::Lifeline>((*received)->message) ||
      !(*received)->attachment)
    return Error{Errc::malformed, "the first rank of the node sent no handle of its agent"};
  return std::move((*received)->attachment);
}

}  // namespace

Result<RendezvousServer> RendezvousServer::open(std::uint32_t ranks, std::uint64_t known_tag) {
  const Result<std::uint64_t> tag = known_tag != 0 ? known_tag : random_number();
  if (!tag) return tag.error();
  const Result<std::uint64_t> password = random_number();
  if (!password) return password.error();
  Result<UniqueFd> door = make_socket();
  if (!door) return door.error();
  // Only the family: the kernel chooses a free name.
  const sockaddr any{AF_UNIX, {}};
  if (::bind(door->get(), &any, sizeof(sa_family_t)) != 0 ||
      ::listen(door->get(), static_cast<int>(ranks)) != 0)
    return Error{Errc::refused,
                 fmt::format("cannot create a socket for joining: {}", std::strerror(errno))};
  const Result<std::string> address = address_of(door->get());
  if (!address) return address.error();
  return RendezvousServer(*std::move(door), Invitation{*address, *tag, *password});
}

Result<Membership> RendezvousServer::serve(JobMemory memory, UniqueFd lifeline,
                                           const Deadline& deadline) && {
  GONDWANA_ASSERT(memory.tag() == invitation_.tag, memory.tag());
  const NodeShare& share = memory.plan();
  Guests guests(share, invitation_.password);
  for (std::uint32_t left = share.node_ranks().size() - 1; left > 0; --left) {
    UniqueFd guest;
    const Result<std::uint32_t> rank = admit(guest, guests, share, deadline);
    if (!rank) return rank.error();
    const auto items = items_for(*rank, memory, lifeline);
    if (const Result<void> handed =
            hand_out(items, index(share.node_ranks()[*rank]), guest.get(), memory.tag(), deadline);
        !handed)
      return handed.error();
  }
  Membership self = keep_job(std::move(memory));
  self.lifeline = std::move(lifeline);
  return self;
}

Result<std::uint32_t> RendezvousServer::admit(UniqueFd& guest, Guests& guests,
                                              const NodeShare& share,
                                              const Deadline& deadline) const {
  for (;;) {
    guest.reset();  // a rejected client learns it now, not when the next one comes
    guest = accept_one(door_.get(), deadline);
    if (!guest) break;
    const std::optional<protocol::Hello> hello = hello_of(guest.get(), deadline);
    if (!hello) continue;
    const auto rank = guests.admit(hello->password, static_cast<std::uint32_t>(hello->rank));
    if (rank) return *rank;
  }
  return Error{Errc::peer_lost,
               fmt::format("rank {} waited {} s (GONDWANA_JOIN_TIMEOUT) for ranks that did not "
                           "request their memory: {}",
                           index(share.node_ranks().front()), deadline.seconds(),
                           fmt::join(guests.missing(), ", "))};
}

std::optional<protocol::Hello> RendezvousServer::hello_of(int guest,
                                                          const Deadline& deadline) const {
  if (!protocol::is_of_own_user(guest)) return std::nullopt;
  const Result<std::optional<protocol::Received>> received =
      protocol::receive(guest, invitation_.tag, deadline.left_ms());
  if (!received || !*received) return std::nullopt;
  const auto* hello = std::get_if<protocol::Hello>(&(*received)->message);
  return hello != nullptr ? std::optional(*hello) : std::nullopt;
}

Result<Membership> visit(const Invitation& invitation, RendezvousClient client,
                         const Deadline& deadline) {
  const std::optional<Address> address = read_address(invitation.address);
  if (!address) {
    return Error{Errc::malformed,
                 fmt::format("the invitation of rank {} has no address", client.host)};
  }
  Result<UniqueFd> socket = make_socket();
  if (!socket) return socket.error();
  if (::connect(socket->get(), reinterpret_cast<const sockaddr*>(&address->value),
                address->length) != 0) {
    return Error{Errc::peer_lost,
                 fmt::format("cannot connect to rank {}: {}", client.host, std::strerror(errno))};
  }
  if (!protocol::is_of_own_user(socket->get()))
    return Error{Errc::refused,
                 fmt::format("the socket of rank {} belongs to another user", client.host)};
  const Result<void> knocked = protocol::send(
      socket->get(), protocol::Hello{invitation.password, client.rank}, invitation.tag, -1);
  if (!knocked) return knocked.error();
  Result<Membership> self = receive_job(
      {socket->get(), invitation.tag, deadline.left_ms(), "the first rank of the node"});
  if (!self) return self.error();
  if (self->plan.nodes > 1) {
    Result<UniqueFd> lifeline = receive_lifeline(socket->get(), invitation.tag, deadline);
    if (!lifeline) return lifeline.error();
    self->lifeline = *std::move(lifeline);
  }
  // The socket closes after the last arena.
  self->next_arena = [last = self->plan.descriptors() - 1, next = std::move(self->next_arena),
                      open = std::make_shared<UniqueFd>(*std::move(socket))](std::uint32_t number) {
    Result<UniqueFd> arena = next(number);
    if (number == last) open->reset();
    return arena;
  };
  return self;
}

}  // namespace gondwana
