// The maximum size of segments in the notation of GASNet: "0.85/H", "4GB/P", "5/8", "512MB".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/result.hpp"

namespace gondwana {

// What the limit covers: the segments of one process, or of all processes on the host together.
enum class LimitScope { process, host };

// A fraction of the host's memory or, if `part` is 0, this number of bytes.
struct MemoryLimit {
  double part = 0;
  std::size_t bytes = 0;
  LimitScope scope = LimitScope::process;

  // The bytes for the segment of each of `processes` processes on a host with this amount of
  // memory.
  std::size_t for_each(std::uint32_t processes, std::size_t memory) const;
};

// A number up to 1 or a fraction such as 5/8 is a part of memory. Anything else is a size in bytes,
// or with K, M, G or T and an optional "B". A suffix "/P" (per process) or "/H" (per host) may
// follow; the default is `otherwise`.
Result<MemoryLimit> parse_memory_limit(std::string_view text, LimitScope otherwise);

}  // namespace gondwana
