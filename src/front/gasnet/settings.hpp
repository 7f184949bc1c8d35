// Settings of a GASNet job from the environment. The tools read their own variables. The variables
// of GASNet's launchers (GASNET_SPAWNFN, GASNET_SSH_SERVERS, SSH_SERVERS) have no effect, and
// neither has GASNET_QUIET: the warnings that it silences do not exist here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/result.hpp"
#include "core/variables.hpp"

namespace gondwana::gasnet {

struct Settings {
  // Bytes per process: GASNET_MAX_SEGSIZE, GASNET_PHYSMEM_MAX.
  std::size_t largest_segment = std::numeric_limits<std::size_t>::max();
  std::uint64_t most_threads = 256;  // threads that call the library: GASNET_MAX_THREADS
  std::uint32_t exit_timeout_s = 0;  // GASNET_EXITTIMEOUT; 0: by the number of ranks
};

// The host runs `processes` of the job and has `memory` bytes. Returns an error if a variable is
// malformed or asks for something unsupported.
Result<Settings> read_settings(const Environment& environment, std::uint32_t processes,
                               std::size_t memory);

}  // namespace gondwana::gasnet
