// Whether this host has room for the ranks of a job, told before the first is started.
#pragma once

#include <cstdint>

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// File descriptors that the guardian needs for the ranks of its host, if they join the job.
std::uint64_t descriptors_for(const Job& job);

// Refuses only what cannot be, for ranks that join. Others may take what is left before the ranks
// have started.
Result<void> look_for_room(const Job& job);

}  // namespace gondwana::launch
