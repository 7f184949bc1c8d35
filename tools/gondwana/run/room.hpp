// Whether this host has room for the ranks of a job, told before the first is started.
#pragma once

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Refuses only what cannot be. Others may take what is left before the ranks have started.
Result<void> look_for_room(const Job& job);

}  // namespace gondwana::launch
