// The node agent of a host, as its guardian knows it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/unique_fd.hpp"

namespace gondwana::launch {

// An agent that has ended, which ranks may find out to be no loss: if they end as well.
struct LostAgent {
  pid_t pid;
  int wait_status;
  std::uint64_t tell_at_ns;
};

struct AgentRecord {
  pid_t pid = 0;  // 0: not started, or ended
  UniqueFd socket;
  UniqueFd complaints;  // its standard error
  std::string said;     // there, and not a whole line yet
  bool serves = false;
  std::string why;                // whole lines that it said before it served
  bool waits_for_memory = false;  // it could not be sent all of it at once
  std::optional<LostAgent> lost;
};

}  // namespace gondwana::launch
