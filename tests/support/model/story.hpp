// A readable trace of a failing execution: one line per step.
#pragma once

#include <string>

#include "support/model/program.hpp"

namespace gondwana::model {

struct Step {
  enum class How : std::uint8_t { plain, sleeps, wakes_by_time, wakes_early };

  std::uint8_t thread = 0;
  Operation operation{};
  std::uint32_t result = 0;
  bool behind = false;  // read, or stored before, a store younger in modification order
  How how = How::plain;
};

std::string tell(const Program& program, const Step& step);

}  // namespace gondwana::model
