// The profiling library, loaded before a program that need not know of it.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana::launch {

// Adds LD_PRELOAD to what a program's environment has on top of ours; keeps what is preloaded
// there.
Result<void> preload_profile(std::vector<std::string>& environment);

}  // namespace gondwana::launch
