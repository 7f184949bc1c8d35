// What a guardian makes of the words of its node agent, and of its end. It calls no system function
// and reads no clock.
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

  // Takes bytes of its standard error, and returns sentences for the user: nobody sees the standard
  // error of a remote launcher. Whole lines before it serves are kept: they say why it does not.
  std::vector<std::string> hear(std::string_view bytes);
  // It serves. Returns what it has said before; may be empty.
  std::string serve();
  // `network`: by which it talked; may be empty. `pause_ns`: in which ranks may finalize.
  AgentLost end(pid_t pid, int wait_status, std::string_view network, std::uint64_t pause_ns) const;

 private:
  std::string sentence(std::string_view error_text) const;

  std::string host_;
  std::string line_;                     // not whole yet
  std::optional<std::string> why_ = "";  // whole lines before it served; nothing: it serves
};

}  // namespace gondwana::launch
