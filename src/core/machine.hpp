// What this machine lets us use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gondwana {

// Bytes of memory this process may use: the smaller of RAM and its cgroup's limit.
std::size_t usable_memory();

// Bytes of memory this process could still take: what the machine has left, as far as its cgroups
// allow.
std::size_t available_memory();

// Bytes that lie on huge pages of 2 MiB, set aside by the administrator and not promised to
// anybody.
std::size_t available_huge_pages();

// How many threads this process has; 0 where that cannot be known.
std::uint32_t own_threads();

// A bit for each processor; of a machine that has more, the first ones.
using ProcessorMask = std::array<std::uint64_t, 16>;

// The processors this process is bound to; all of them where it is not.
ProcessorMask own_processors();

// How many processors' time its cgroups allow it; huge where they set no limit.
double processor_quota();

// Processors this process may run on: its affinity, cut by its cgroup's quota; at least 1.
std::uint32_t usable_processors();

// Nanoseconds of CLOCK_MONOTONIC, the same in every process of the machine.
std::uint64_t monotonic_ns();

}  // namespace gondwana
