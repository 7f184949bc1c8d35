// How a guardian interprets the output of its node agent and the agent's end. It makes no system
// call and reads no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/node/node_events.hpp"

namespace gondwana::launch {

class AgentLife {
 public:
  explicit AgentLife(std::string host) : host_(std::move(host)) {}

  // Takes bytes of the agent's standard error, and returns messages for the user, because no user
  // sees the standard error of a remote launcher. Complete lines from before the agent serves are
  // kept, because they may explain why it does not.
  std::vector<std::string> hear(std::string_view bytes);
  // The agent serves now. Returns its earlier output, which may be empty.
  std::string serve();
  // `network`: the network that the agent used; may be empty. `pause_ns`: the time in which ranks
  // may finalize.
  AgentLost end(pid_t pid, int wait_status, std::string_view network, std::uint64_t pause_ns) const;

 private:
  std::string sentence(std::string_view error_text) const;

  std::string host_;
  std::string line_;                     // the incomplete last line
  std::optional<std::string> why_ = "";  // complete lines from before it served; nothing: it serves
};

}  // namespace gondwana::launch
