// What a remote launcher is told at first.
#pragma once

#include "run/job.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {

// The task of a host that runs `part`, with what our environment and folder have to say to it.
Task task_of(const Job& part);

}  // namespace gondwana::launch
