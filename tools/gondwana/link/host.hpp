// A host that a job or a command uses.
#pragma once

#include <cstdint>
#include <string>

namespace gondwana::link {

// By what a process is started on another host; GONDWANA_SSH names another ssh in place of both.
enum class Way { ssh, srun };

// A host of --hosts or --hostfile; the same name may stand several times.
struct Host {
  std::string name;
  std::uint32_t slots = 1;
  Way way = Way::ssh;
  std::uint32_t slurm_job = 0;  // of Way::srun: the allocation; 0: the one that this process is in
};

}  // namespace gondwana::link
