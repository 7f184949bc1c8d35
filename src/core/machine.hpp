// The resources that this machine gives us.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gondwana {

// Bytes of memory this process may use: the smaller of RAM and its cgroup's limit.
std::size_t usable_memory();

// Bytes of memory that this process can still allocate: what is available on the machine, limited
// by its cgroups.
std::size_t available_memory();

// Bytes on huge pages of 2 MiB that the administrator set aside and that no process has reserved.
std::size_t available_huge_pages();

// The number of threads of this process; 0 if unknown.
std::uint32_t own_threads();

// A bit for each processor. A larger machine has only its first processors here.
using ProcessorMask = std::array<std::uint64_t, 16>;

// The processors that this process is bound to; all of them if it is not bound.
ProcessorMask own_processors();

// The processor time that its cgroups allow, in processors; huge if there is no limit.
double processor_quota();

// The number of processors that this process may use: its affinity, limited by its cgroup's quota.
// At least 1.
std::uint32_t usable_processors();

inline constexpr std::uint64_t second_ns = 1'000'000'000;

// Nanoseconds of CLOCK_MONOTONIC, which is the same for all processes of the machine.
std::uint64_t monotonic_ns();

}  // namespace gondwana
