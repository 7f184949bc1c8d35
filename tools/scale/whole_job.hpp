// A job on several nodes: rank 0 is an engine, all other ranks are simulated.
#pragma once

#include "core/result.hpp"
#include "figures.hpp"
#include "node_exchange.hpp"

namespace gondwana::scale {

Result<Figures> measure_whole_job(const JobShape& shape);

}  // namespace gondwana::scale
