// Jobs in processes of their own: a job that fails ends its process.
#pragma once

#include <functional>

#include "simulation/engine/job.hpp"

namespace gondwana::simulation {

enum class Output : std::uint8_t { shown, hidden };

// Runs in a child, and returns whether it returned. A crash, or a job that takes no step for a
// minute, prints a message.
bool returns_in_child(const std::function<void()>& run, Output output);

// The seed that a crash names.
void name_seed(std::uint64_t seed);

}  // namespace gondwana::simulation
