// What the environment asks of a job of GASNet's. The variables of the tools are theirs; those of
// GASNet's launchers (GASNET_SPAWNFN, GASNET_SSH_SERVERS, SSH_SERVERS) and GASNET_QUIET, which
// silences warnings that there are none of, mean nothing here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/result.hpp"
#include "core/variables.hpp"

namespace gondwana::gasnet {

struct Settings {
  // Bytes, for each process: GASNET_MAX_SEGSIZE, GASNET_PHYSMEM_MAX.
  std::size_t largest_segment = std::numeric_limits<std::size_t>::max();
  std::uint64_t most_threads = 256;  // that call the library: GASNET_MAX_THREADS
};

// For so many processes of a job on a host with so many bytes of memory. An error where a variable
// cannot be read, or asks for what this version cannot do.
Result<Settings> read_settings(const Environment& environment, std::uint32_t processes,
                               std::size_t memory);

}  // namespace gondwana::gasnet
