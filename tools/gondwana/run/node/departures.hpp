// Decides whether ranks may be asked to leave a job that runs. A refusal is a message for the
// process that asked; the job continues.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/result.hpp"
#include "run/job.hpp"
#include "run/node/admission.hpp"

namespace gondwana::launch {

// `numbers`: in the job, sorted, each once. `others_can_continue`: without a rank.
Result<void> admit_departures(const Job& job, const Admission& ranks, bool is_ending,
                              bool others_can_continue, std::span<const std::uint32_t> numbers);

// Why no rank, or not all of them, can be asked.
Error cannot_lose_ranks();
Error none_would_be_left();
// "ranks 1, 3 were asked to leave"
std::string describe_dismissed(std::span<const std::uint32_t> ranks);

}  // namespace gondwana::launch
