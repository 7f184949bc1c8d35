// Supports `GASNET_PSHM_NODES=4 ./a.out` as in GASNet: 4 ranks without a launcher.
#pragma once

#include <cstdint>
#include <span>

#include "core/result.hpp"
#include "core/variables.hpp"

namespace gondwana {

// The number of ranks that this process becomes. 1 if GASNET_PSHM_NODES does not ask for more, or
// if a launcher started this process or an ancestor; the variable has no meaning then.
Result<std::uint32_t> ranks_to_become(const Environment& environment);

// Replaces this process with the command `gondwana run` if it becomes several ranks and is a GASNet
// program. Otherwise returns, with an error if that failed. Standard input, signals and exit status
// stay with the process. `words`: main()'s arguments.
Result<void> become_ranks(std::span<char* const> words, const Environment& environment);

}  // namespace gondwana
