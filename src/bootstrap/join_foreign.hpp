// Joins a job of a foreign launcher (mpirun, srun, mpiexec.hydra), or makes a job of one rank.
#pragma once

#include <cstdint>

#include "bootstrap/join.hpp"
#include "bootstrap/started_by.hpp"
#include "core/options.hpp"
#include "core/result.hpp"

namespace gondwana {

// Waits for all others. If this process is one of several that cannot find each other, the error
// names the launcher and the missing interface. If it is the only one, it makes a job of one rank.
Result<Membership> join_foreign(const StartedBy& by, const Options& options);

// How a process joins. `pmix_size`: the size of the PMIx session that the process has opened; 0: no
// session.
enum class JoinWay : std::uint8_t { pmix, pmi1, alone, none };
JoinWay way_to_join(const StartedBy& by, std::uint32_t pmix_size);

// Why a process cannot join the others of its launcher, and what to do: the launcher offers no way,
// or its way needs something that is missing. Both need a claim.
Error no_bootstrap(const StartedBy& by);
Error out_of_reach(const StartedBy& by, const Error& error);

// A job of one rank.
Result<Membership> join_alone();

}  // namespace gondwana
