// A job that ends its process, or does not end: the seed is named nevertheless.
#pragma once

#include <cstdint>

namespace gondwana::simulation {

// From now on a crash prints the seed, and ends this process with status 1. So does a job that has
// not ended in a minute.
void tell_crashes();

// The seed of the job that begins.
void name_seed(std::uint64_t seed);

}  // namespace gondwana::simulation
