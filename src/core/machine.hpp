// What this machine lets us use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gondwana {

// Bytes of memory this process may use: the smaller of RAM and its cgroup's limit.
std::size_t usable_memory();

// Processors this process may run on: its affinity, cut by its cgroup's quota; at least 1.
std::uint32_t usable_processors();

// Nanoseconds of CLOCK_MONOTONIC, the same in every process of the machine.
std::uint64_t monotonic_ns();

}  // namespace gondwana
