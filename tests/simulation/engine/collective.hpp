// The collective at the end of a phase.
#pragma once

#include "simulation/engine/rank_context.hpp"

namespace gondwana::simulation {

void meet(RankContext& rank, const Phase& phase);

}  // namespace gondwana::simulation
