// Makes a failing plan smaller: fewer hosts, ranks and faults, as long as it fails.
#pragma once

#include "simulation/plan.hpp"

namespace gondwana::simulation {

Plan shrink(Plan plan);

}  // namespace gondwana::simulation
