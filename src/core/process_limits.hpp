// The number of processes that we may start on this machine.
#pragma once

#include <cstdint>
#include <string>

namespace gondwana {

struct ProcessLimit {
  std::uint64_t left = 0;  // the most new processes; fewer if other programs start some too
  std::string name;        // the source of the limit, for messages
};

// The tightest known limit: of the user, of the control groups, of the kernel.
ProcessLimit process_limit();

}  // namespace gondwana
