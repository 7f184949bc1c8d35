#include "bootstrap/protocol.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include "core/machine.hpp"

namespace gondwana::protocol {
namespace {

constexpr std::uint32_t magic = 0x646e6f47;  // "Gond"

struct Header {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t kind;
  std::uint64_t job_tag;
};

Error malformed(std::string_view what) {
  return {Errc::malformed, fmt::format("a message between launcher and rank {}", what)};
}

template <typename Payload>
Message read_payload(Bytes bytes) {
  Payload payload;
  std::memcpy(&payload, bytes.data() + sizeof(Header), sizeof(Payload));
  return payload;
}

// All of them must lie within an arena.
bool plausible_huge(const Welcome& welcome) {
  if (welcome.huge == 0) return true;
  return welcome.huge % huge_page == 0 && welcome.stride > huge_offset &&
         welcome.huge < welcome.stride - huge_offset;
}

bool plausible_rings(const Welcome& welcome) {
  return welcome.ring_size == 0 ||
         (std::has_single_bit(welcome.ring_size) && welcome.ring_size >= min_ring_size &&
          welcome.ring_size <= largest_ring_size);
}

bool plausible_teams(std::uint64_t teams) {
  return teams % NodePlan::min_teams == 0 && teams >= NodePlan::min_teams &&
         teams <= NodePlan::max_teams;
}

// The rank is one of its session, which starts with the job or joins it later.
bool plausible_session(const Welcome& welcome) {
  const Session& session = welcome.session;
  const std::uint64_t rank = std::uint64_t{welcome.first} + welcome.rank;
  const std::uint64_t end = std::uint64_t{session.first} + session.ranks;
  return session.first <= rank && rank < end && end <= welcome.share().capacity();
}

bool plausible(const Message& message) {
  if (const auto* welcome = std::get_if<Welcome>(&message)) {
    const std::uint32_t slots = welcome->share().slots();
    return welcome->ranks >= 1 && welcome->ranks <= max_ranks && slots <= max_ranks &&
           welcome->rank < slots && welcome->stride > NodePlan::system_size + huge_page &&
           welcome->stride % huge_page == 0 &&
           welcome->stride <= (std::uint64_t{1} << 47) / slots && plausible_session(*welcome) &&
           plausible_huge(*welcome) && plausible_rings(*welcome) &&
           plausible_teams(welcome->teams) && welcome->nodes >= 1 &&
           welcome->nodes <= welcome->job_ranks && welcome->job_ranks <= max_ranks &&
           welcome->job_max_ranks <= max_ranks && welcome->spare_nodes <= max_ranks &&
           welcome->node < welcome->share().node_slots() &&
           welcome->share().node_ranks().are_among(welcome->share().capacity());
  }
  if (const auto* arena = std::get_if<Arena>(&message)) return arena->number < max_ranks;
  if (const auto* lifeline = std::get_if<Lifeline>(&message)) return lifeline->rank < max_ranks;
  if (const auto* hello = std::get_if<Hello>(&message)) return hello->rank < max_ranks;
  if (const auto* exit = std::get_if<GlobalExit>(&message)) return exit->is_on_purpose <= 1;
  if (const auto* spawn = std::get_if<Spawn>(&message))
    return spawn->ranks >= 1 && spawn->ranks <= max_ranks;
  if (const auto* spawned = std::get_if<Spawned>(&message))
    return spawned->first < max_ranks && spawned->is_refused <= 1;
  return true;
}

// Waits until `socket` is ready for `events`; false after a timeout.
bool wait_ready(int socket, short events, int timeout_ms) {
  pollfd entry{socket, events, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

// The message header of sendmsg and recvmsg, with space for one descriptor.
struct Envelope {
  iovec vector;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};

  Envelope(void* data, std::size_t size) : vector{data, size} {
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }

  void attach(int descriptor) {
    cmsghdr* part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof(int));
  }

  UniqueFd attachment() {
    const cmsghdr* part = CMSG_FIRSTHDR(&header);
    if (part == nullptr || part->cmsg_type != SCM_RIGHTS) return {};
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(part), sizeof(int));
    return UniqueFd(descriptor);
  }
};

}  // namespace

Packet encode(const Message& message, std::uint64_t job_tag) {
  Packet packet{};
  const Header header{magic, version, static_cast<std::uint16_t>(message.index()), job_tag};
  std::memcpy(packet.bytes, &header, sizeof(header));
  std::visit(
      [&](const auto& payload) {
        static_assert(sizeof(Header) + sizeof(payload) <= Packet::size);
        std::memcpy(packet.bytes + sizeof(header), &payload, sizeof(payload));
      },
      message);
  return packet;
}

Result<Message> decode(Bytes bytes, std::uint64_t job_tag) {
  if (bytes.size() != Packet::size)
    return malformed(fmt::format("has {} bytes, not {}", bytes.size(), Packet::size));
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != magic) return malformed("is not from Gondwana");
  if (header.version != version) {
    return malformed(
        fmt::format("has version {}, this build uses {}; use the launcher and the "
                    "library of one installation",
                    header.version, version));
  }
  if (job_tag != 0 && header.job_tag != job_tag) return malformed("belongs to another job");
  constexpr std::array readers{
      read_payload<Join>,       read_payload<Welcome>, read_payload<Arena>,
      read_payload<GlobalExit>, read_payload<Hello>,   read_payload<Ready>,
      read_payload<Lifeline>,   read_payload<Image>,   read_payload<ShrinkEntry>,
      read_payload<Spawn>,      read_payload<Spawned>, read_payload<Leave>,
      read_payload<WorldEntry>, read_payload<Arrival>};
  static_assert(readers.size() == std::variant_size_v<Message>);
  if (header.kind >= readers.size()) return malformed("has an unknown kind");
  const Message message = readers.at(header.kind)(bytes);
  if (!plausible(message)) return malformed("has a value out of range");
  return message;
}

Sent try_send(int socket, const Message& message, std::uint64_t job_tag, int attachment) {
  Packet packet = encode(message, job_tag);
  for (;;) {
    Envelope envelope(packet.bytes, Packet::size);
    if (attachment >= 0)
      envelope.attach(attachment);
    else
      envelope.header.msg_controllen = 0;
    if (::sendmsg(socket, &envelope.header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return Sent::yes;
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return Sent::no_room;
    return errno == ETOOMANYREFS ? Sent::too_many_in_flight : Sent::peer_lost;
  }
}

Result<void> send(int socket, const Message& message, std::uint64_t job_tag, int attachment,
                  int timeout_ms) {
  const std::uint64_t deadline = monotonic_ns() + std::uint64_t(timeout_ms) * 1'000'000;
  for (;;) {
    const Sent sent = try_send(socket, message, job_tag, attachment);
    if (sent == Sent::yes) return {};
    if (sent == Sent::peer_lost || monotonic_ns() > deadline) {
      return Error{Errc::peer_lost,
                   fmt::format("cannot send to the other end of the launch socket: {}",
                               std::strerror(errno))};
    }
    // The socket may stay writable while too many descriptors are in flight.
    wait_ready(socket, sent == Sent::no_room ? POLLOUT : short{0}, 1);
  }
}

Result<std::optional<Received>> receive(int socket, std::uint64_t job_tag, int timeout_ms) {
  if (!wait_ready(socket, POLLIN, timeout_ms))
    return Error{Errc::peer_lost,
                 fmt::format("no answer on the launch socket within {} s", timeout_ms / 1000)};
  Packet packet{};
  Envelope envelope(packet.bytes, Packet::size);
  // Space for one descriptor only: the padding could hold a second, which would leak.
  envelope.header.msg_controllen = CMSG_LEN(sizeof(int));
  ssize_t length = 0;
  do {
    length = ::recvmsg(socket, &envelope.header, MSG_CMSG_CLOEXEC);
  } while (length < 0 && errno == EINTR);
  if (length == 0 || (length < 0 && errno == ECONNRESET)) return std::optional<Received>{};
  if (length < 0) {
    return Error{Errc::peer_lost,
                 fmt::format("cannot read the launch socket: {}", std::strerror(errno))};
  }
  UniqueFd attachment = envelope.attachment();
  if ((envelope.header.msg_flags & MSG_CTRUNC) != 0) {
    return Error{Errc::out_of_memory,
                 "no free file descriptor to receive one with a message; raise ulimit -n"};
  }
  Result<Message> message = decode(Bytes(packet.bytes, static_cast<std::size_t>(length)), job_tag);
  if (!message) return message.error();
  return std::optional<Received>{Received{*std::move(message), std::move(attachment)}};
}

bool is_of_own_user(int socket) {
  ucred peer{};
  socklen_t length = sizeof(peer);
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         peer.uid == ::getuid();
}

}  // namespace gondwana::protocol
