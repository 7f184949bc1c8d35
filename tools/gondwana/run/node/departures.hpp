// Decides whether ranks may be asked to leave a job that runs. A refusal is a message for the
// process that asked; the job continues.
#pragma once

#include <cstdint>
#include <span>

#include "core/result.hpp"
#include "run/job.hpp"
#include "run/node/admission.hpp"

namespace gondwana::launch {

// `numbers`: in the job, sorted, each once. `others_can_continue`: without a rank.
Result<void> admit_departures(const Job& job, const Admission& ranks, bool is_ending,
                              bool others_can_continue, std::span<const std::uint32_t> numbers);

}  // namespace gondwana::launch
