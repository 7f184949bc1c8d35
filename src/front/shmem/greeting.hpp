// What rank 0 prints when it starts, where SHMEM_VERSION or SHMEM_INFO asks for it.
#pragma once

#include <string>

#include "core/options.hpp"
#include "core/variables.hpp"

namespace gondwana::shmem {

// Whole lines; empty where nothing is asked for.
std::string greeting(const Options& options, const Environment& environment);

}  // namespace gondwana::shmem
