// Decides where the ranks of a job on several hosts run that are added while it runs. Those on one
// host are a node of their own, with a launcher, memory and an agent: hosts that the job has and
// other hosts are alike.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.hpp"
#include "run/job.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {

struct GrowthPlan {
  Session session;
  std::vector<Host> hosts;
  std::vector<Job> parts;  // of these hosts; each is a node
};

// The present state of a job.
struct JobSize {
  std::uint32_t ranks = 0;  // that have a number
  std::uint32_t nodes = 0;
};

// `first`: the part of the first node. `program`: of the rank that asks. A refusal is a message for
// the asker.
Result<GrowthPlan> plan_growth(const Job& job, const Job& first, const Program& program,
                               const JobSize& size, const MoreWanted& wanted);

}  // namespace gondwana::launch
