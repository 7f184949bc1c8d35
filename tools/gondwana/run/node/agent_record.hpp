// The node agent of a host, as its guardian knows it.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::launch {

struct AgentRecord {
  pid_t pid = 0;  // 0: not started, or ended
  UniqueFd socket;
  UniqueFd complaints;  // its standard error
  std::string said;     // there, and not a whole line yet
  bool serves = false;
  std::string why;                // whole lines that it said before it served
  bool waits_for_memory = false;  // it could not be sent all of it at once
};

// The file of the program: beside the command, or where it is installed.
Result<std::string> find_agent();

}  // namespace gondwana::launch
