// When a process has died, the job must not hang: a rank is told of the loss in time, or all others
// end as if nothing had happened. What a rank is told names the process that died.
#pragma once

#include <cstdint>
#include <string>

#include "simulation/engine/machine.hpp"
#include "simulation/engine/program.hpp"

namespace gondwana::simulation {

class LossRules {
 public:
  LossRules(Machine& machine, const Program& program) : machine_(machine), program_(program) {}

  // The process dies now.
  void begin();
  bool has_begun() const { return has_begun_; }
  // A rank is told of a loss.
  void tell(const std::string& text);

  // Where the process that dies is, or was.
  std::uint32_t node() const;

 private:
  Machine& machine_;
  const Program& program_;
  bool has_begun_ = false;
  bool is_told_ = false;
};

std::string host_of(std::uint32_t node);

}  // namespace gondwana::simulation
