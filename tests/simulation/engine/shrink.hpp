// Makes a failing job smaller, as long as it fails in one of a few schedules.
#pragma once

#include "simulation/engine/job.hpp"

namespace gondwana::simulation {

JobPlan shrink(JobPlan plan);

}  // namespace gondwana::simulation
