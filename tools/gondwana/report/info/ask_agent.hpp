// What the node agent says when it is asked. The agent has the libraries of networks and devices;
// this command is spared the time that they take to load.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace gondwana::info {

struct AgentAnswer {
  bool works;  // as its exit status says
  std::string text;
};

Result<AgentAnswer> ask_agent(std::string_view option);

}  // namespace gondwana::info
