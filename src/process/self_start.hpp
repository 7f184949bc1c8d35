// Clients of GASNet are used to `GASNET_PSHM_NODES=4 ./a.out`: no launcher, and 4 ranks.
#pragma once

#include <cstdint>
#include <span>

#include "core/result.hpp"
#include "core/variables.hpp"

namespace gondwana {

// How many ranks this process is to become: 1 where GASNET_PSHM_NODES does not ask for more, or
// where a launcher started this process or the one that it comes from. Then the variable means
// nothing.
Result<std::uint32_t> ranks_to_become(const Environment& environment);

// Makes this process the command `gondwana run` where it is to become several ranks and is a
// program of GASNet's. Returns where it is not, with an error where that was not possible. Standard
// input, signals and exit status stay with the process. `words` are those that main() gets.
Result<void> become_ranks(std::span<char* const> words, const Environment& environment);

}  // namespace gondwana
