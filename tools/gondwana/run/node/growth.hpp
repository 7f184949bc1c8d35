// Decides whether a job may get more ranks, and which numbers they get. A refusal is a message for
// the process that asked; the job continues.
#pragma once

#include <cstdint>
#include <span>

#include "core/result.hpp"
#include "memory/node_plan.hpp"
#include "run/job.hpp"
#include "run/node/admission.hpp"
#include "run/node/node_events.hpp"

namespace gondwana::launch {

// Why a job does not get more ranks.
Error no_growth();
Error too_many_ranks(std::uint32_t more, std::uint32_t size, std::uint32_t most);

// The numbers of `more` ranks in a job with `ranks`. `is_ending`: whether the job ends.
Result<Session> admit_more(const Job& job, const Admission& ranks, bool is_ending,
                           std::uint32_t more);

// The program of a rank, by its number on this node.
const Program& own_program(const Job& job, std::span<const AddRanks> added, std::uint32_t rank);
// The program of ranks that a rank, or a user, has asked for. A command without words is that of
// the rank. `added`: the ranks that have been added so far, on this node.
Program program_of(const Job& job, std::span<const AddRanks> added, const RanksWanted& wanted);

}  // namespace gondwana::launch
