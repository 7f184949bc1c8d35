// Decides which host runs which ranks of a job on several hosts.
#pragma once

#include <cstdint>
#include <vector>

#include "run/job.hpp"

namespace gondwana::launch {

// Returns the part of each host in the job, in order. Ranks fill the slots in blocks. There must be
// enough slots. The shares have no tag yet.
std::vector<Job> share_out(const Job& job);

// The hosts of a job in which at most `most` ranks may share memory; a host is repeated as often as
// necessary. Without hosts, this host is used. The last one may have no ranks.
std::vector<Host> split_hosts(const Job& job, std::uint32_t most);

// The hosts of these jobs that have ranks, in the same order.
std::vector<Host> hosts_in_use(const Job& job);

}  // namespace gondwana::launch
