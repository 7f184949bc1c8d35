// Hands their memory to the ranks of a foreign launcher: the first rank of a node makes the memory
// and listens at an abstract socket. The others connect with the credentials from the launcher.
//
// All have passed a fence of the launcher before, so no rank waits long. The server handles the
// ranks one by one, with one descriptor, no thread and no event loop.
#pragma once

#include <cstdint>
#include <optional>

#include "bootstrap/deadline.hpp"
#include "bootstrap/job_memory.hpp"
#include "bootstrap/join.hpp"
#include "bootstrap/join_plan.hpp"
#include "bootstrap/process_info.hpp"
#include "bootstrap/protocol.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

class RendezvousServer {
 public:
  // For at most `max_ranks` ranks. `tag`: the job's tag, if it is known; 0: the server chooses one.
  static Result<RendezvousServer> open(std::uint32_t ranks, std::uint64_t tag = 0);

  const Invitation& invitation() const { return invitation_; }

  // Hands the memory, which has the tag of the invitation, to all its ranks but the first. The
  // first is the caller and gets its own place at the end. Rejects clients without the password, or
  // of another user. `lifeline`: ties the node agent to the ranks, if there is one.
  Result<Membership> serve(JobMemory memory, UniqueFd lifeline, const Deadline& deadline) &&;

 private:
  RendezvousServer(UniqueFd door, Invitation invitation)
      : door_(std::move(door)), invitation_(std::move(invitation)) {}

  // The next rank that connects, with its socket in `guest`, by its number on the node.
  Result<std::uint32_t> admit(UniqueFd& guest, Guests& guests, const NodeShare& share,
                              const Deadline& deadline) const;
  // Reads the Hello of a process of our user. Returns nothing for any other message or user.
  std::optional<protocol::Hello> hello_of(int guest, const Deadline& deadline) const;

  UniqueFd door_;
  Invitation invitation_;
};

// The client side: takes the place of `rank` on the node with first rank `host`.
struct RendezvousClient {
  std::uint32_t host;
  std::uint32_t rank;
};
Result<Membership> visit(const Invitation& invitation, RendezvousClient client,
                         const Deadline& deadline);

}  // namespace gondwana
