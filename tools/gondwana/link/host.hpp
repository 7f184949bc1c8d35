// A host that a job or a command uses.
#pragma once

#include <cstdint>
#include <string>

namespace gondwana::link {

// How a process is started on another host. GONDWANA_SSH names a program to use instead of either.
enum class Way { ssh, srun };

// A host of --hosts or --hostfile. The same name may occur several times.
struct Host {
  std::string name;
  std::uint32_t slots = 1;
  Way way = Way::ssh;
  std::uint32_t slurm_job = 0;  // for Way::srun: the allocation; 0: the current one
};

}  // namespace gondwana::link
