// The other libraries that this machine has, for `gondwana bench --peers`.
#pragma once

#include <vector>

#include "report/bench/peer.hpp"

namespace gondwana::bench {

// Those of the folders in PATH: OpenSHMEM of Open MPI, one-sided MPI of Open MPI and of MPICH, and
// ARMCI over MPI.
std::vector<Peer> find_peers();

}  // namespace gondwana::bench
