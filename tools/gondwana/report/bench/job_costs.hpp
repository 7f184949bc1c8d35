// What a job costs before it does anything: the time until its ranks have started, and their
// memory. Each figure is of a job of its own, for numbers of ranks from 2 on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "report/bench/samples.hpp"
#include "report/bench/subject.hpp"

namespace gondwana::bench {

// The command that runs the measuring program with a number of ranks; empty: there is no peer.
using JobCommand = std::function<std::vector<std::string>(std::uint32_t ranks)>;

// One round: for each number of ranks ours, the control and the peer. Added to `series`.
Result<void> add_round_of_jobs(const Choices& choices, const JobCommand& own,
                               const JobCommand& peer, std::vector<Series>& series);

// After the last round: the series of an operation stand together, and the memory that a rank needs
// for each other rank is added.
void finish_jobs(const Choices& choices, std::vector<Series>& series);

}  // namespace gondwana::bench
