// The protocol of a rank and its guardian over the guardian's socket pair:
//
//   rank      -> guardian  Join           I am here; connect me; with a descriptor that shows my
//                                         end (pidfd), if the kernel has pidfds
//   rank      -> guardian  Image          this program is the rank; with a pipe that closes when
//                                         the program ends or exec replaces it
//   guardian  -> rank      Welcome        your rank, with the control memory
//   guardian  -> rank      Arena          one of NodePlan::descriptors(): a file with arenas, or
//                                         one of those that follow; one message each, so one free
//                                         descriptor is enough
//   rank      -> guardian  GlobalExit     end the job with this status; on purpose, or by an error
//   rank      -> guardian  ShrinkEntry    a member enters a shrink of a team on several nodes
//   rank      -> guardian  WorldEntry     a rank enters an update of the world, on several nodes
//   rank      -> guardian  Arrival        I joined a job on several nodes after its start, or took
//                                         the place of a dead process, and run
//   rank      -> guardian  Spawn          start more ranks; with a file that contains their command
//                                         line, see SpawnCommand
//   guardian  -> rank      Spawned        the number of the first; or with a file that contains the
//                                         reason why there are none
//   rank      -> guardian  Leave          I take no part in the job any more
//   agent     -> guardian  Ready          the info of this node is in the control memory; the agent
//                                         joins like a rank
//
// Under a foreign launcher the first rank acts as the guardian, over a named socket
// (rendezvous_server.hpp). A Hello replaces the Join, and the rank that hands out the memory closes
// the socket after the last Arena. With a node agent, the Welcome is followed by:
//
//   first     -> rank      Lifeline       a descriptor to keep: the agent serves until all ranks of
//                                         its node have closed theirs
//
// One datagram per message (SOCK_SEQPACKET), fixed size, native byte order: both ends are the same
// build on the same machine. The version or the layout reveals a different build.
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
#include "sync/shrink_entry.hpp"
#include "sync/world_entry.hpp"

namespace gondwana::protocol {

inline constexpr std::uint16_t version = 12;
inline constexpr const char* join_fd_variable = "GONDWANA_JOIN_FD";
inline constexpr const char* joined_variable = "GONDWANA_JOINED";
inline constexpr std::uint32_t max_ranks = 1U << rank_bits;

struct Join {
  std::uint64_t pid;
};

struct Welcome {
  std::uint64_t job_tag;  // random; in every later message
  std::uint32_t rank;     // slot on the node
  std::uint32_t ranks;    // of the node, at the start of the job
  std::uint64_t stride;
  std::uint32_t first;  // the node's part of the job, see NodeShare
  std::uint32_t node;
  std::uint32_t nodes;
  std::uint32_t job_ranks;
  std::uint64_t huge = 0;       // see NodePlan
  std::uint64_t ring_size = 0;  // see NodePlan
  std::uint64_t teams = NodePlan::min_teams;
  std::uint32_t max_ranks = 0;                // see NodeShare
  Session session = {0, job_ranks};           // of the rank
  std::uint32_t job_max_ranks = 0;            // see NodeShare
  std::uint32_t spare_nodes = 0;              // see NodeShare
  std::uint64_t layout = memory_fingerprint;  // of the control memory, in the guardian's build

  NodeShare share() const {
    return {ranks, first, node, nodes, job_ranks, max_ranks, job_max_ranks, spare_nodes};
  }
};

struct Arena {
  std::uint32_t number;  // from 0, in the order of NodePlan::descriptors()
};

struct GlobalExit {
  std::int32_t status;
  std::uint32_t is_on_purpose = 0;
};

struct Hello {
  std::uint64_t password;  // from the launcher that started both
  std::uint64_t rank;
};

struct Ready {
  std::uint64_t pid;
};

struct Lifeline {
  std::uint32_t rank;  // of the rank that says Hello
};

struct Image {
  std::uint64_t pid;
};

struct Spawn {
  std::uint32_t ranks;
};

struct Spawned {
  std::uint32_t first;
  std::uint32_t is_refused = 0;
};

struct Leave {
  std::uint64_t pid;
};

struct Arrival {
  std::uint64_t pid;
};

using Message = std::variant<Join, Welcome, Arena, GlobalExit, Hello, Ready, Lifeline, Image,
                             ShrinkEntry, Spawn, Spawned, Leave, WorldEntry, Arrival>;

// The bytes of a message on the wire.
struct Packet {
  static constexpr std::size_t size = 112;
  std::byte bytes[size];  // NOLINT(modernize-avoid-c-arrays): sent as it is
};

Packet encode(const Message& message, std::uint64_t job_tag);

// Rejects anything that encode() would not produce: size, magic, version, kind, ranges. The tag
// must be `job_tag`, or anything if that is 0 (a rank learns its tag from the Welcome).
Result<Message> decode(Bytes bytes, std::uint64_t job_tag);

struct Received {
  Message message;
  UniqueFd attachment;
};

enum class Sent { yes, no_room, too_many_in_flight, peer_lost };

// Sends one message without waiting, with a descriptor if `attachment` >= 0. Fails if it would
// block. Too many descriptors in flight is a limit of the user, not of this socket: polling the
// socket does not show its end.
Sent try_send(int socket, const Message& message, std::uint64_t job_tag, int attachment);

// Sends one message, with a descriptor if `attachment` >= 0. Blocks on a full socket for at most
// `timeout_ms`; never raises SIGPIPE.
Result<void> send(int socket, const Message& message, std::uint64_t job_tag, int attachment,
                  int timeout_ms = 5000);

// Waits for one message. `timeout_ms` < 0: no timeout. Nothing: the other end is closed.
Result<std::optional<Received>> receive(int socket, std::uint64_t job_tag, int timeout_ms);

// Whether a process of our user made the other end of a unix socket.
bool is_of_own_user(int socket);

}  // namespace gondwana::protocol
