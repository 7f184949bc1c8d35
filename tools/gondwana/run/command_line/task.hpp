// What a remote launcher is told at first.
#pragma once

#include <cstdint>

#include "core/result.hpp"
#include "run/job.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {

// The task of a host that runs `part`, with what our environment and folder have to say to it.
Task task_of(const Job& part);

// How many seconds of silence mean that a host is gone, by GONDWANA_PEER_TIMEOUT; 0: none.
Result<std::uint32_t> peer_timeout_of_user();

}  // namespace gondwana::launch
