// Joins a job of a foreign launcher (mpirun, srun, mpiexec.hydra), or makes a job of one rank.
#pragma once

#include <cstdint>

#include "bootstrap/join.hpp"
#include "bootstrap/started_by.hpp"
#include "core/options.hpp"
#include "core/result.hpp"

namespace gondwana {

// Waits for all others. An error that names the launcher and what is missing if this process is one
// of several that cannot find each other. A job of one rank if it is the only one.
Result<Membership> join_foreign(const StartedBy& by, const Options& options);

// How a process joins. `pmix_size`: of the PMIx session that it has opened; 0: there is none.
enum class JoinWay : std::uint8_t { pmix, pmi1, alone, none };
JoinWay way_to_join(const StartedBy& by, std::uint32_t pmix_size);

// Why a process cannot join the others of its launcher, and what to do: the launcher offers no way,
// or its way needs something that is missing. Both need a claim.
Error no_bootstrap(const StartedBy& by);
Error out_of_reach(const StartedBy& by, const Error& error);

// A job of one rank.
Result<Membership> join_alone();

}  // namespace gondwana
