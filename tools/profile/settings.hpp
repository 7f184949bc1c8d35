// The environment variables of the profile.
#pragma once

#include <string>

#include "core/result.hpp"
#include "core/variables.hpp"

namespace gondwana::profile {

struct Settings {
  bool tables = true;    // calls are counted; else they are only traced
  bool counting = true;  // from the start; else from shmem_pcontrol(1) on
  bool matrix = false;   // bytes from each rank to each rank
  bool paths = false;    // time by call path; only JSON has it
  std::string file;      // for the report, as CSV or JSON; empty: a table on the standard error
};

Result<Settings> read_settings(const Environment& environment);

}  // namespace gondwana::profile
