// The operations of a rank in a phase: OpenSHMEM's, and accumulates.
#pragma once

#include "simulation/engine/rank_context.hpp"

namespace gondwana::simulation {

// Anything but an active message.
void perform(RankContext& rank, const Action& action);

}  // namespace gondwana::simulation
