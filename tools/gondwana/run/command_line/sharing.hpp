// Which host runs which ranks of a job of several hosts.
#pragma once

#include <cstdint>
#include <vector>

#include "run/job.hpp"

namespace gondwana::launch {

// The job of each host that has a part in it, in order: ranks fill the slots in blocks. The slots
// suffice. The share has no tag yet.
std::vector<Job> share_out(const Job& job);

// The hosts of a job in which at most `most` ranks may share memory: each stands there as often as
// it takes. Without hosts: this one. The last may have no ranks.
std::vector<Host> split_hosts(const Job& job, std::uint32_t most);

// The hosts of these jobs, in the same order: those that get a rank at all.
std::vector<Host> hosts_in_use(const Job& job);

}  // namespace gondwana::launch
