// The hosts that a batch system has allocated to the shell in which the launcher runs: Slurm, PBS
// and its relatives, LSF.
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

// Returns nothing outside an allocation. Inside a step of one (srun, mpirun) it returns nothing
// either: each process of the step starts its ranks on its own host.
Result<std::optional<std::vector<Host>>> find_allocation(const Environment& environment);

// Expands "n[01-03,7],m5" to n01, n02, n03, n7, m5.
Result<std::vector<std::string>> expand_host_names(std::string_view text);

// Expands "4(x2),3" to 4, 4, 3.
Result<std::vector<std::uint32_t>> expand_counts(std::string_view text);

}  // namespace gondwana::launch
