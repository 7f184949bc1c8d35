// Where a rank is in its program.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "modules/stacks/stacks.hpp"
#include "observe/jobs/found_jobs.hpp"

namespace gondwana::stacks {

struct Place {
  std::uint32_t rank = 0;
  pid_t pid = 0;
  std::string host;                  // empty: this host
  std::vector<ThreadStack> threads;  // if empty, `problem` says why
  std::string problem;
};

// Returns the places of those `ranks` that belong to `job` and have a process on this host.
std::vector<Place> find_places(const jobs::FoundJob& job, const std::vector<std::uint32_t>& ranks);

}  // namespace gondwana::stacks
