// Where the ranks of a foreign launcher get their memory: the first rank makes it and stands at a
// socket without a file, the others come there with what they heard through the launcher.
//
// All have passed a fence of the launcher before, so nobody waits here for long; and one rank is
// served after the other, so that it takes one descriptor, no thread and no event loop.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bootstrap/card.hpp"
#include "bootstrap/deadline.hpp"
#include "bootstrap/job_memory.hpp"
#include "bootstrap/join.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

class Reception {
 public:
  static Result<Reception> open(std::uint32_t ranks);

  const Invitation& invitation() const { return invitation_; }

  // Hands the memory to all ranks but 0, who is the caller and gets its own place in the end. Who
  // does not know the password, or is of another user, is turned away.
  Result<Membership> serve(const Deadline& deadline) &&;

 private:
  Reception(JobMemory memory, UniqueFd door, Invitation invitation)
      : memory_(std::move(memory)), door_(std::move(door)), invitation_(std::move(invitation)) {}

  std::uint32_t ranks() const { return memory_.plan().ranks; }
  // The next rank that comes in, with its socket in `guest`.
  Result<std::uint32_t> admit(UniqueFd& guest, const std::vector<bool>& served,
                              const Deadline& deadline) const;
  // Who is there; nobody where it is none of ours.
  std::optional<std::uint32_t> rank_of(int guest, const Deadline& deadline) const;
  Result<void> hand_out(std::uint32_t rank, int guest, const Deadline& deadline) const;

  JobMemory memory_;
  UniqueFd door_;
  Invitation invitation_;
};

// The other end: takes the place of `rank`.
Result<Membership> visit(const Invitation& invitation, std::uint32_t rank,
                         const Deadline& deadline);

}  // namespace gondwana
