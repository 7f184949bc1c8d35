// How large segments may be, as users of GASNet write it: "0.85/H", "4GB/P", "5/8", "512MB".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/result.hpp"

namespace gondwana {

// Whose segments a limit holds for: those of one process, or of all processes on the host together.
enum class LimitScope { process, host };

// A part of the memory of the host or, where `part` is 0, this many bytes.
struct MemoryLimit {
  double part = 0;
  std::size_t bytes = 0;
  LimitScope scope = LimitScope::process;

  // Bytes for the segment of each of `processes` on a host with this much memory.
  std::size_t for_each(std::uint32_t processes, std::size_t memory) const;
};

// A number up to 1 or a fraction such as 5/8 is a part of memory; anything else is a size, in bytes
// or with K, M, G or T behind it, and perhaps "B". Then "/P", for each process, or "/H", for the
// host; `otherwise` where neither is there.
Result<MemoryLimit> parse_memory_limit(std::string_view text, LimitScope otherwise);

}  // namespace gondwana
