// All other hosts that a command questions at the same time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "link/host.hpp"
#include "observe/hosts/messages.hpp"
#include "observe/hosts/observed_host.hpp"

namespace gondwana::hosts {

class Observers {
 public:
  // Starts an observer on each of `hosts`, once for each name, and none on this host. An
  // unreachable host gives one error message; the others continue.
  void start(const std::vector<link::Host>& hosts);

  // Sends the question to all hosts, runs `meanwhile`, then passes their answers to `take`.
  void ask(const Message& question, std::chrono::milliseconds time, FunctionRef<void()> meanwhile,
           FunctionRef<void(const std::string& host, Message& answer)> take,
           FunctionRef<bool()> continues);

  const std::vector<std::string>& complaints() const { return errors_; }

 private:
  std::vector<ObservedHost> hosts_;
  std::vector<std::string> errors_;
};

}  // namespace gondwana::hosts
