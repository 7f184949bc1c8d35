// The environment variables of the profile.
#pragma once

#include <string>

#include "core/result.hpp"
#include "core/variables.hpp"

namespace gondwana::profile {

struct Settings {
  bool tables = true;    // count calls; otherwise only trace them
  bool counting = true;  // count from the start; otherwise from shmem_pcontrol(1)
  bool matrix = false;   // count the bytes from each rank to each rank
  bool paths = false;    // count time by call path; only JSON contains it
  bool each = false;     // each rank reports its own counts, because ranks join, die or leave
  std::string file;      // the report, as CSV or JSON; empty: a table on standard error
};

Result<Settings> read_settings(const Environment& environment);

}  // namespace gondwana::profile
