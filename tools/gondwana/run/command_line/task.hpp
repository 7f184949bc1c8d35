// The first message to a remote launcher.
#pragma once

#include "run/job.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {

// The task of a host that runs `part`, with our environment and folder as far as they matter there.
Task task_of(const Job& part);

}  // namespace gondwana::launch
