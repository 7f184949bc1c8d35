// Where the ranks of a foreign launcher get their memory: the first rank of a node makes it and
// stands at a socket without a file, the others come there with what they heard through the
// launcher.
//
// All have passed a fence of the launcher before, so nobody waits here for long; and one rank is
// served after the other, so that it takes one descriptor, no thread and no event loop.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bootstrap/deadline.hpp"
#include "bootstrap/job_memory.hpp"
#include "bootstrap/join.hpp"
#include "bootstrap/process_info.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

class RendezvousServer {
 public:
  // For at most that many ranks. `tag`: of the job, where it is known; 0: it is chosen here.
  static Result<RendezvousServer> open(std::uint32_t ranks, std::uint64_t tag = 0);

  const Invitation& invitation() const { return invitation_; }

  // Hands the memory, which has the tag of the invitation, to all its ranks but the first, which is
  // the caller and gets its own place in the end. A client that does not know the password, or is
  // of another user, is turned away. `lifeline`: what ties the node agent to the ranks, where there
  // is one.
  Result<Membership> serve(JobMemory memory, UniqueFd lifeline, const Deadline& deadline) &&;

 private:
  RendezvousServer(UniqueFd door, Invitation invitation)
      : door_(std::move(door)), invitation_(std::move(invitation)) {}

  // The next rank that comes in, with its socket in `guest`. Here and below ranks are those of the
  // node, from 0.
  Result<std::uint32_t> admit(UniqueFd& guest, const NodeShare& share,
                              const std::vector<bool>& served, const Deadline& deadline) const;
  // Which rank connected; none where it is not one of ours.
  std::optional<std::uint32_t> rank_of(int guest, const NodeShare& share,
                                       const Deadline& deadline) const;

  UniqueFd door_;
  Invitation invitation_;
};

// The other end: takes the place of `rank` on the node whose first rank is `host`.
struct RendezvousClient {
  std::uint32_t host;
  std::uint32_t rank;
};
Result<Membership> visit(const Invitation& invitation, RendezvousClient client,
                         const Deadline& deadline);

}  // namespace gondwana
