// Joining a job that a launcher of others started: mpirun, srun, mpiexec.hydra; or none at all.
#pragma once

#include "bootstrap/join.hpp"
#include "bootstrap/started_by.hpp"
#include "core/options.hpp"
#include "core/result.hpp"

namespace gondwana {

// Waits for all others. An error that names the launcher and what is missing where this process is
// one of several that cannot find each other; alone where it is the only one.
Result<Membership> join_foreign(const StartedBy& by, const Options& options);

// Why a process that a launcher started with others cannot join them, and what to do: it offers no
// way, or what is needed for its way is missing. Both want a claim.
Error no_way_to_meet(const StartedBy& by);
Error out_of_reach(const StartedBy& by, const Error& error);

// A job of one rank.
Result<Membership> join_alone();

}  // namespace gondwana
