// The hosts that a batch system has given to the shell in which the launcher runs: Slurm, PBS and
// its kin, LSF.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/variables.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Nothing outside of an allocation, and in a process of a step in it (srun, mpirun): that process
// is one of several, and each starts what it starts on its own host.
Result<std::optional<std::vector<Host>>> find_allocation(const Environment& environment);

// "n[01-03,7],m5": n01, n02, n03, n7, m5.
Result<std::vector<std::string>> expand_host_names(std::string_view text);

// "4(x2),3": 4, 4, 3.
Result<std::vector<std::uint32_t>> expand_counts(std::string_view text);

}  // namespace gondwana::launch
