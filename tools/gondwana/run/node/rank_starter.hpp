// Starts the ranks of a node with their descriptors, variables and processors.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/job.hpp"
#include "run/node/binding.hpp"
#include "run/node/rank_process.hpp"

namespace gondwana::launch {

class RankStarter {
 public:
  // The descriptors of the process; the last one leads to its guardian.
  struct Ends {
    UniqueFd input;
    UniqueFd output;
    UniqueFd error;
    UniqueFd join;
  };

  // `job` must outlive this object.
  explicit RankStarter(const Job& job) : job_(job) {}

  // Refuses a job that cannot start, before its first rank starts. Raises the descriptor limit of
  // this process to its maximum.
  Result<void> prepare();
  // The environment of all ranks of the program. `ranks`: those that they know from the start.
  EnvironmentBlock environment_of(const Program& program, std::uint32_t ranks) const;
  // `rank` counts from 0 on this host.
  Result<pid_t> start(const Program& program, EnvironmentBlock& environment, std::uint32_t rank,
                      const Ends& ends) const;
  // Returns "rank 3 on host n1 is bound to core 2: processors 2, 6".
  std::string describe_binding(std::uint32_t rank) const;
  // The limit that processes of the job get back.
  const rlimit& descriptors() const { return descriptors_; }

 private:
  const Job& job_;
  rlimit descriptors_{};
  std::vector<Place> places_;
};

}  // namespace gondwana::launch
