// Whether this host has room for the ranks of a job, told before the first is started.
#pragma once

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Refuses only what cannot be: a job may still find too little when it starts.
Result<void> look_for_room(const Job& job);

}  // namespace gondwana::launch
