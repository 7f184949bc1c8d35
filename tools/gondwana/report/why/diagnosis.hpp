// Finds the ranks that keep the others waiting: the message of `gondwana why` about a watched job.
//
// A rank that waits points at the ranks it waits for. In a collective it points at all members that
// are not in it. The culprits are ranks that others point at and that point at none, or ranks that
// all point at each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/jobs/watch.hpp"

namespace gondwana::why {

struct Diagnosis {
  std::vector<std::string> sentences;   // the first one names the culprits
  std::vector<std::uint32_t> culprits;  // ranks; empty if the job is not blocked
};

// Whether stacks were read: only they distinguish a rank that polls (find_polls) from one that
// computes.
enum class Stacks : std::uint8_t { unseen, seen };

Diagnosis diagnose(const jobs::JobSeen& job, Stacks stacks = Stacks::unseen);

}  // namespace gondwana::why
