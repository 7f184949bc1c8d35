// The text that rank 0 prints at start if SHMEM_VERSION or SHMEM_INFO is set.
#pragma once

#include <string>

#include "core/options.hpp"
#include "core/variables.hpp"

namespace gondwana::shmem {

// Returns whole lines, or an empty text.
std::string greeting(const Options& options, const Environment& environment);

}  // namespace gondwana::shmem
