// What a rank and its guardian say to each other over the socket pair that the guardian made:
//
//   rank      -> guardian  Join           I am here; wire me up; with a descriptor that tells of my
//                                         end (pidfd), where the kernel has those
//   rank      -> guardian  Image          this program is the rank; with a pipe that ends when the
//                                         program does or when another takes its place (exec)
//   guardian  -> rank      Welcome        your rank, with the control memory
//   guardian  -> rank      Arena          the memory of one rank of the node, with its descriptor;
//                                         one message each, so that one free descriptor is enough;
//                                         behind the last rank, the rest of what
//                                         NodePlan::descriptors() counts
//   rank      -> guardian  GlobalExit     end the job with this status; on purpose, or by an error
//   agent     -> guardian  Ready          the info of this node is in the control memory; the agent
//                                         joins as a rank does
//
// Under a launcher of others the first rank stands in for the guardian, over a socket that has a
// name (rendezvous_server.hpp). A Hello takes the place of the Join, and the rank that hands out
// the memory closes the socket behind the last Arena. Where there is a node agent, behind the
// Welcome:
//
//   first     -> rank      Lifeline       a descriptor to keep: the agent serves until all ranks of
//                                         its node have closed theirs
//
// One datagram a message (SOCK_SEQPACKET), fixed size, native byte order: both ends are the same
// build on the same machine, and a different build is told so by the version or by the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"
#include "memory/layout.hpp"
#include "memory/node_plan.hpp"

namespace gondwana::protocol {

inline constexpr std::uint16_t version = 10;
inline constexpr const char* join_fd_variable = "GONDWANA_JOIN_FD";
inline constexpr const char* joined_variable = "GONDWANA_JOINED";
inline constexpr std::uint32_t max_ranks = 1U << rank_bits;

struct Join {
  std::uint64_t pid;
};

struct Welcome {
  std::uint64_t job_tag;  // random; in every later message
  std::uint32_t rank;     // among those of the node
  std::uint32_t ranks;    // of the node
  std::uint64_t stride;
  std::uint32_t first;  // the node's part of the job, see NodeShare
  std::uint32_t node;
  std::uint32_t nodes;
  std::uint32_t job_ranks;
  std::uint64_t huge = 0;       // see NodePlan
  std::uint64_t ring_size = 0;  // likewise
  std::uint64_t teams = NodePlan::least_teams;
  std::uint64_t layout = memory_fingerprint;  // of the control memory, in the guardian's build

  NodeShare share() const { return {ranks, first, node, nodes, job_ranks}; }
};

struct Arena {
  std::uint32_t rank;
};

struct GlobalExit {
  std::int32_t status;
  std::uint32_t is_on_purpose = 0;
};

struct Hello {
  std::uint64_t password;  // heard through the launcher that started both
  std::uint64_t rank;
};

struct Ready {
  std::uint64_t pid;
};

struct Lifeline {
  std::uint32_t rank;  // that gives it
};

struct Image {
  std::uint64_t pid;
};

using Message = std::variant<Join, Welcome, Arena, GlobalExit, Hello, Ready, Lifeline, Image>;

// The bytes of a message on the wire.
struct Packet {
  static constexpr std::size_t size = 88;
  std::byte bytes[size];  // NOLINT(modernize-avoid-c-arrays): sent as it is
};

Packet encode(const Message& message, std::uint64_t job_tag);

// Refuses anything that encode() would not have made: size, magic, version, kind, ranges. The tag
// must be `job_tag` unless that is 0 (a rank learns its tag from the Welcome).
Result<Message> decode(Bytes bytes, std::uint64_t job_tag);

struct Received {
  Message message;
  UniqueFd attachment;
};

enum class Sent { yes, no_room, too_many_under_way, peer_lost };

// Sends one message, with a descriptor where `attachment` >= 0, if that can be done at once. Too
// many descriptors under way is a limit of the user, not of this socket: polling the socket will
// not tell when that is over.
Sent try_send(int socket, const Message& message, std::uint64_t job_tag, int attachment);

// Sends one message, with a descriptor where `attachment` >= 0. Never blocks on a full socket for
// longer than `timeout_ms`; never raises SIGPIPE.
Result<void> send(int socket, const Message& message, std::uint64_t job_tag, int attachment,
                  int timeout_ms = 5000);

// Waits for one message. `timeout_ms` < 0 waits for ever. Nothing: the other end is closed.
Result<std::optional<Received>> receive(int socket, std::uint64_t job_tag, int timeout_ms);

// The other end of a unix socket was made by a process of our user.
bool is_of_own_user(int socket);

}  // namespace gondwana::protocol
