// Runs the node agent to ask it about networks and devices. Their libraries take time to load, and
// only the agent needs them.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace gondwana::info {

struct AgentAnswer {
  bool works;  // according to its exit status
  std::string text;
};

Result<AgentAnswer> ask_agent(std::string_view option);

}  // namespace gondwana::info
