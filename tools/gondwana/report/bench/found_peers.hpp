// The other libraries that this machine has, for `gondwana bench --peers`.
#pragma once

#include <vector>

#include "report/bench/peer.hpp"

namespace gondwana::bench {

// Searches PATH for the commands of Open MPI and MPICH. Open MPI can have OpenSHMEM and one-sided
// MPI, MPICH one-sided MPI; ARMCI-MPI is found if their compiler can link it.
std::vector<Peer> find_peers();

}  // namespace gondwana::bench
