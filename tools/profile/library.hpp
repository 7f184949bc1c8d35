// The library whose calls are counted.
#pragma once

#include <cstdint>

#include "memory/shown_memory.hpp"
#include "tracing/trace_place.hpp"

namespace gondwana::profile {

// Makes the names of the library visible to us. They are already, unless it was loaded later than
// we were, by a module of Python perhaps.
void find_library();

// Loads the library for a program of GASNet-EX or ARMCI, which need not have it. False where it is
// not there.
bool load_library();

// What copies of devices have moved, for this rank; null where it is not known.
const DeviceTraffic* device_traffic();

// Where the engine keeps the events of the calling thread; null where the job is not traced.
TraceRing* trace_ring();
// The number that stands for the name of a call in events.
std::uint16_t trace_name(const char* name);
// Where calls are made, as events have it; null where the job is not traced.
const TraceSites* trace_sites();
// The number of another such place; 0 if there is no room.
std::uint16_t add_trace_site(std::uint64_t address);

}  // namespace gondwana::profile
