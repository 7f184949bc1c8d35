// The library whose calls are counted.
#pragma once

#include <cstdint>

#include "memory/shown_memory.hpp"
#include "tracing/trace_place.hpp"

namespace gondwana::profile {

// Makes the library's names visible to the profiler. They are hidden only if the library was loaded
// later than the profiler, for example by a Python module.
void find_library();

// Loads the library for a program of GASNet-EX or ARMCI, which may not have loaded it. Returns
// false if it is missing.
bool load_library();

// The traffic of this rank's copies to and from devices; null if unknown.
const DeviceTraffic* device_traffic();

// The event ring of the calling thread; null if the job is not traced.
TraceRing* trace_ring();
// The number that stands for a call's name in events.
std::uint16_t trace_name(const char* name);
// The table of call sites that events refer to; null if the job is not traced.
const TraceSites* trace_sites();
// Adds a call site and returns its number; 0 if the table is full.
std::uint16_t add_trace_site(std::uint64_t address);

}  // namespace gondwana::profile
