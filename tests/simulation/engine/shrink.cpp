#include "simulation/engine/shrink.hpp"

#include "simulation/engine/children.hpp"

namespace gondwana::simulation {
namespace {

// Runs of one job. A smaller job draws other numbers, so it may fail only in another schedule.
constexpr std::uint64_t schedules = 4;
constexpr std::uint64_t most_runs = 1500;

// Finds a schedule in which it fails.
bool fails(JobPlan& plan, std::uint64_t& runs) {
  const std::uint64_t first = plan.schedule;
  for (std::uint64_t i = 0; i < schedules && runs < most_runs; ++i, ++runs) {
    plan.schedule = first + i;
    const auto run = [&plan] {
      name_seed(plan.seed);
      run_job(plan, false);
    };
    if (!returns_in_child(run, Output::hidden)) return true;
  }
  return false;
}

bool make_smaller(JobPlan& plan, std::uint64_t& runs) {
  for (const Change& change : ways_to_shrink(plan.program)) {
    JobPlan candidate = plan;
    change(candidate.program);
    settle(candidate.program);
    if (!fails(candidate, runs)) continue;
    plan = std::move(candidate);
    return true;
  }
  return false;
}

}  // namespace

JobPlan shrink(JobPlan plan) {
  std::uint64_t runs = 0;
  while (make_smaller(plan, runs)) continue;
  return plan;
}

}  // namespace gondwana::simulation
