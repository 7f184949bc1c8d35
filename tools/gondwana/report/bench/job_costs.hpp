// The costs of a job before it computes: the time until its ranks have started, and their memory.
// Each figure comes from its own job, for 2 ranks and more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "report/bench/samples.hpp"
#include "report/bench/subject.hpp"

namespace gondwana::bench {

// Returns the command that runs the measuring program with a number of ranks.
using JobCommand = std::function<std::vector<std::string>(std::uint32_t ranks)>;

// Runs one round: for each number of ranks our job, the control and the peers. Adds to `series`.
Result<void> add_round_of_jobs(const Choices& choices, const JobCommand& own,
                               const std::vector<JobCommand>& peers, std::vector<Series>& series);

// Call this after the last round. It groups the series by operation and adds the memory that a rank
// needs for each other rank.
void finish_jobs(const Choices& choices, std::vector<Series>& series);

}  // namespace gondwana::bench
