// Which ranks keep the others waiting: what `gondwana why` says of a job that it has watched.
//
// A rank that waits for another, or in a collective for all members that are not in it, points at
// them. A rank that is pointed at and points at none, or ranks that all point at each other, are
// the culprits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/jobs/watch.hpp"

namespace gondwana::why {

struct Diagnosis {
  std::vector<std::string> sentences;   // the first names the culprits
  std::vector<std::uint32_t> culprits;  // ranks; empty if nothing keeps the job from going on
};

// Whether stacks were looked at: only they tell a rank that polls (find_polls) from one that
// computes.
enum class Stacks : std::uint8_t { unseen, seen };

Diagnosis diagnose(const jobs::JobSeen& job, Stacks stacks = Stacks::unseen);

// What a rank does, without its number: "waits in shmem_barrier_all for 12 s".
std::string describe(const jobs::RankSeen& rank);

// "12 s", "3 min", "250 ms"
std::string format_seconds(double seconds);

}  // namespace gondwana::why
